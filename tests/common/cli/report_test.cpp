#include "common/cli/report.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/base/error.h"
#include "common/cli/model_path.h"
#include "common/cli/progress.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

TEST_CASE("bytes, times, numbers and rates for people") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1.00 kB");
  CHECK(human_bytes(14200) == "14.2 kB");
  CHECK(human_bytes(999499) == "999 kB");
  CHECK(human_bytes(999500) == "1.00 MB");
  CHECK(human_bytes(1192099840) == "1.19 GB");
  CHECK(human_bytes(Index{5} << 40) == "5.50 TB");
  CHECK(human_seconds(0.0) == "0.00 s");
  CHECK(human_seconds(8.5e-7) == "850 ns");
  CHECK(human_seconds(9.9996e-4) == "1.00 ms");
  CHECK(human_seconds(0.0124) == "12.4 ms");
  CHECK(human_seconds(3.2) == "3.20 s");
  CHECK(human_seconds(245.4) == "4 min 05 s");
  CHECK(human_seconds(INFINITY) == "-");
  CHECK(human_number(9.996) == "10.0");
  CHECK(human_number(0.42) == "0.42");
  CHECK(human_number(18.34) == "18.3");
  CHECK(human_number(1250.4) == "1,250");
  CHECK(human_number(std::nan("")) == "-");
  CHECK(human_count(1234567) == "1,234,567");
  CHECK(human_count(-123456) == "-123,456");
  CHECK(human_count(12) == "12");
  CHECK(human_rate(75, 2.0) == "37.5 tok/s");
  CHECK(human_rate(75, 0.0) == "-");
}

TEST_CASE("a table is aligned by what is seen, numbers to the right") {
  Table table({"stage", "tok/s", "note"});
  table.add_row({"naive", "3.5", "日本"});
  table.add_row({"é", "1,250", "x"});
  table.add_row({"short"});
  CHECK(table.text() ==
        "stage  tok/s  note\n"
        "-----  -----  ----\n"
        "naive    3.5  日本\n"
        "é      1,250  x\n"
        "short\n");
  CHECK(display_width("日本é") == 5);
}

TEST_CASE("a report is plain when it is no terminal, and silent when quiet") {
  const TempFolder folder;
  const std::string path = (folder.path() / "report").string();
  for (const bool quiet : {false, true}) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    Report report(quiet, file);
    report.title("memory");
    report.line("weights", "1.19 GB");
    report.text("ok", Style::kGood);
    report.warning("odd");
    std::fclose(file);
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    CHECK(text == (quiet ? "" : "\nmemory\n  weights                 1.19 GB\nok\nwarning: odd\n"));
  }
}

TEST_CASE("there is no progress bar without a terminal") { CHECK_FALSE(progress_bar("loading", true)); }

TEST_CASE("a model is found by path, by name and by shape") {
  const TempFolder folder;
  folder.write("data/models/tale/config.json", "{}");
  folder.write("models/other.gguf", "GGUF");
  folder.write("data/models/notes/readme.txt", "");
  folder.write("build/bin/x", "");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path() / "build" / "bin");
  const auto root = std::filesystem::current_path().parent_path().parent_path();
  CHECK(find_model("tale").path == root / "data/models/tale");
  CHECK(find_model("other").path == root / "models/other.gguf");
  CHECK(find_model("x").path == "x");
  CHECK(find_model("random:qwen3-0.6b").random_name == "qwen3-0.6b");
  CHECK(find_model("random:qwen3-0.6b").is_random());
  CHECK_THROWS_AS(find_model("random:qwen3-7b"), Error);
  CHECK_THROWS_AS(find_model("notes"), Error);
  CHECK_THROWS_AS(find_model(""), Error);
  try {
    find_model("tales");
    FAIL("found");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find("tale, ") != std::string::npos);
    CHECK(message.ends_with("did you mean 'tale'?"));
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace llm
