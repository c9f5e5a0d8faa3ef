// The texts that transformers generated, as requests for the programs that answer JSON lines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/json_lines.h"

namespace llm::test {

// The cases of data/generate/NAME in which the best token is taken and nothing else changes the scores;
// without the fields about drafts, which verify and do not choose.
std::vector<Json> greedy_fixtures(const std::string& name);

std::map<std::string, std::vector<Json>> by_model(const std::vector<Json>& fixtures);

Json request_of(const Json& fixture);

// Checks that each answer has the tokens of its fixture.
void check_sequences(const std::vector<Json>& answers, const std::vector<Json>& fixtures);

// Serves the bad requests, and the good one behind each. Checks that the answer to a bad one is an error with
// the words that stand beside it, and that the good one gets `length` tokens, prompt and new ones.
void check_refusals(const std::function<Served(const std::string&)>& serve,
                    const std::vector<std::pair<std::string, std::string>>& bad, const std::string& good,
                    std::size_t length);

}  // namespace llm::test
