#include "tests/07_sampling/score_answer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/07_sampling/score_lines.h"
#include "common/cli/jsonl.h"
#include "tests/json_lines.h"

namespace llm {

Json score_answer(const std::string& line) {
  const Served served = serve_lines(line + "\n", [](std::istream& in, std::ostream& out) {
    return serve_json_lines(in, out, score_line_fields(), [](const JsonReader& request, JsonWriter& answer) {
      answer_score_line(request, answer);
    });
  });
  REQUIRE(served.answers.size() == 1);
  return served.answers[0];
}

}  // namespace llm
