// The main function of every grading test. Writes one JSON object a line to the file that LLM_GRADE_OUT names
// (standard output without it): when a case begins and how it ended, so that a crash can be told too.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // a crash ends the program by its signal, which make grade names
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/course/exercises/grading.h"

namespace {

using llm::NotStarted;
using llm::grading::WrongAnswer;

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    char code[8];
    if (static_cast<unsigned char>(c) < ' ') {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::FILE* open_output() {
  const char* path = std::getenv("LLM_GRADE_OUT");
  std::FILE* file = path ? std::fopen(path, "wb") : stdout;
  if (!file) {
    std::fprintf(stderr, "error: %s: cannot be written\n", path);
    std::exit(1);
  }
  return file;
}

// How the running case ended, as the exceptions that left it said.
Fields& outcome() {
  static Fields fields;
  return fields;
}

doctest::String on_wrong(const WrongAnswer& answer) {
  outcome() = {{"status", "wrong"},           {"what", answer.what},
               {"expected", answer.expected}, {"got", answer.got},
               {"index", answer.index},       {"looks_like", answer.looks_like},
               {"file", answer.file},         {"line", std::to_string(answer.line)}};
  return "wrong";
}

doctest::String on_not_started(const NotStarted& error) {
  outcome() = {{"status", "not_started"}, {"needs", error.exercise()}};
  return "not started";
}

struct GradeReporter : doctest::IReporter {
  explicit GradeReporter(const doctest::ContextOptions&) {}

  void write(const Fields& fields) {
    std::string line = "{\"case\": " + json_string(name_);
    for (const auto& [key, value] : fields) line += ", " + json_string(key) + ": " + json_string(value);
    std::fprintf(out_, "%s}\n", line.c_str());
    std::fflush(out_);
  }

  void test_case_start(const doctest::TestCaseData& data) override {
    name_ = data.m_name;
    outcome().clear();
    write({{"status", "started"}});
  }

  void test_case_exception(const doctest::TestCaseException& exception) override {
    if (outcome().empty()) outcome() = {{"status", "error"}, {"message", exception.error_string.c_str()}};
  }

  // A plain CHECK or REQUIRE that failed; the first one of a case is told.
  void log_assert(const doctest::AssertData& data) override {
    if (!data.m_failed || !outcome().empty()) return;
    std::string got = data.m_decomp.c_str();
    if (data.m_threw) got = std::string("an exception: ") + data.m_exception.c_str();
    outcome() = {{"status", "wrong"}, {"what", "a check"},   {"expected", data.m_expr},
                 {"got", got},        {"file", data.m_file}, {"line", std::to_string(data.m_line)}};
  }

  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (outcome().empty())
      outcome() = {{"status", stats.failure_flags == 0 ? "ok" : "error"},
                   {"message", "the test case failed"}};
    write(outcome());
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::FILE* out_ = open_output();
  std::string name_;
};

REGISTER_REPORTER("grade", 1, GradeReporter);

std::string type_name_of(const std::exception& error) {
  const std::string name = typeid(error).name();
  for (const char* known : {"out_of_range", "invalid_argument", "length_error", "bad_alloc", "logic_error"})
    if (name.find(known) != std::string::npos) return std::string("std::") + known + ": ";
  return "";
}

doctest::String on_exception(const std::exception& error) {
  return (type_name_of(error) + error.what()).c_str();
}

}  // namespace

int main(int argc, char** argv) {
  // Asked in this order: the most general comes last.
  doctest::registerExceptionTranslator<const WrongAnswer&>(on_wrong);
  doctest::registerExceptionTranslator<const NotStarted&>(on_not_started);
  doctest::registerExceptionTranslator<const std::exception&>(on_exception);
  doctest::Context context(argc, argv);
  context.setOption("no-version", true);
  context.setOption("reporters", "grade");
  context.setOption("order-by", "file");
  return context.run();
}
