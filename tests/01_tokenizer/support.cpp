#include "tests/01_tokenizer/support.h"

#include <fmt/format.h>

#include <array>

#include "common/base/error.h"
#include "common/base/rng.h"
#include "common/text/utf8.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

// Where code points come from: ranges of scripts and single troublemakers.
struct Source {
  char32_t first, last;
};
constexpr std::array<Source, 26> kSources = {{
    {'a', 'z'},          {'A', 'Z'},       {'0', '9'},         {' ', ' '},         {' ', '/'},
    {'\t', '\r'},        {'\'', '\''},     {0x80, 0x24F},      {0x300, 0x36F},     {0x370, 0x52F},
    {0x590, 0x6FF},      {0x900, 0x97F},   {0xE00, 0xE7F},     {0x1100, 0x11FF},   {0x1E00, 0x1EFF},
    {0x2000, 0x206F},    {0x20A0, 0x218F}, {0x3000, 0x30FF},   {0x4E00, 0x4FFF},   {0xAC00, 0xACFF},
    {0xF900, 0xFB4F},    {0xFE00, 0xFFFF}, {0x10D40, 0x10D8F}, {0x1F1E6, 0x1F64F}, {0x2EBF0, 0x2EE5F},
    {0x10000, 0x10FFFF},
}};

class Random {
 public:
  explicit Random(std::uint32_t seed) : seed_(seed) {}
  char32_t below(char32_t limit) {
    return random_words({.seed = seed_, .purpose = RngPurpose::kTest}, count_++)[0] % limit;
  }

 private:
  std::uint32_t seed_, count_ = 0;
};

}  // namespace

std::filesystem::path data_path(std::string_view name) {
  return std::filesystem::path(LLM_SOURCE_DIR) / "tests/01_tokenizer/data" / name;
}

const Tokenizer& qwen3() {
  static const Tokenizer tokenizer = Tokenizer::load(LLM_QWEN3_TOKENIZER);
  return tokenizer;
}

std::string tokenizer_json(const JsonParts& p) {
  return fmt::format(R"({{"version":"1.0","truncation":{},"padding":{},"added_tokens":{},"normalizer":{},)"
                     R"("pre_tokenizer":{},"post_processor":{},"decoder":{},)"
                     R"("model":{{"type":"BPE",{}"vocab":{},"merges":{}}}}})",
                     p.truncation, p.padding, p.added_tokens, p.normalizer, p.pre_tokenizer, p.post_processor,
                     p.decoder, p.model_options.empty() ? "" : p.model_options + ",", p.vocab, p.merges);
}

Tokenizer load_json(const std::string& json) {
  const TempFolder folder;
  folder.write("tokenizer.json", json);
  return Tokenizer::load(folder.path());
}

Tokenizer make_tokenizer(const JsonParts& parts) { return load_json(tokenizer_json(parts)); }

std::string loading_error(const std::string& json) {
  try {
    load_json(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string random_text(std::uint32_t seed, Index characters) {
  Random random(seed);
  std::string text;
  for (Index i = 0; i < characters; ++i) {
    const Source& source = kSources[random.below(kSources.size())];
    append_code_point(text, source.first + random.below(source.last - source.first + 1));
  }
  return text;
}

std::string random_bytes(std::uint32_t seed, Index count) {
  Random random(seed);
  std::string bytes;
  for (Index i = 0; i < count; ++i) bytes += static_cast<char>(random.below(256));
  return bytes;
}

}  // namespace llm::test
