// A tokenizer that was made for another model is refused or warned about.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/tokenizer_fit.h"
#include "common/base/error.h"
#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {
namespace {

std::vector<std::string> fit(const std::string& model, const std::string& tokenizer,
                             const std::string& name) {
  return check_tokenizer_fit("m", load_model_config(model_path(model)),
                             Tokenizer::load(model_path(tokenizer)), name);
}

bool mentions(const std::vector<std::string>& warnings, const std::string& words) {
  for (const std::string& warning : warnings)
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

TEST_CASE("a model's own tokenizer gives no warning") {
  for (const char* name : {"tiny-qwen3", "tiny-qwen2", "tiny-llama", "tiny-llama-linear"})
    CHECK(fit(name, name, "PreTrainedTokenizerFast").empty());
  CHECK(fit("tiny-qwen3", "tiny-qwen3", "Qwen2TokenizerFast").empty());
  CHECK(fit("tiny-llama", "tiny-llama", "LlamaTokenizer").empty());
}

TEST_CASE("ids beyond vocab_size are an error") {
  try {
    fit("tiny-qwen3", "tiny-llama", "");
    FAIL("600 ids do not fit into 512 rows");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kMismatch);
    CHECK(std::string(error.what()).find("599, expected at most 511 (vocab_size 512)") != std::string::npos);
  }
}

TEST_CASE("signs of another model are warnings") {
  const auto other = fit("tiny-llama", "tiny-qwen3", "");
  CHECK(mentions(other, "ends a text with id 2, which is an ordinary token"));
  CHECK(mentions(other, "the tokenizer has 512 ids and the model 600 rows"));
  CHECK(mentions(fit("tiny-llama", "tiny-llama", "Qwen2Tokenizer"),
                 "is a Qwen2Tokenizer and the model a llama"));
  CHECK(mentions(fit("tiny-qwen2", "tiny-qwen2", "GemmaTokenizerFast"), "is a GemmaTokenizerFast"));
}

}  // namespace
}  // namespace llm::test
