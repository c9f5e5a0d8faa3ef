#include "chapters/07_sampling/watermark.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "chapters/07_sampling/candidates.h"
#include "common/base/error.h"

namespace llm {
namespace {

constexpr Index kTableSize = 1'000'003;

// The first `count` elements of a random permutation of 0 .. n - 1. std::mt19937 is the same everywhere.
void begin_permutation(std::uint32_t seed, Index n, Index count, std::vector<std::int32_t>& permutation) {
  permutation.resize(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::mt19937 random(seed);
  for (Index i = 0; i < std::min(count, n - 1); ++i) {
    const Index other = i + static_cast<Index>(random()) % (n - i);
    std::swap(permutation[static_cast<std::size_t>(i)], permutation[static_cast<std::size_t>(other)]);
  }
}

constexpr std::uint64_t kModulus = ~std::uint64_t{0};  // 2^64 - 1

// id * key modulo 2^64 - 1, where 2^64 is 1: the upper half of the product is added to the lower one.
std::uint64_t multiply_modulo(std::uint64_t id, std::uint64_t key) {
  const std::uint64_t low = id * (key & 0xffffffff), high = id * (key >> 32);  // id is below 2^31
  std::uint64_t sum = low + (high << 32);
  std::uint64_t carried = (high >> 32) + (sum < low ? 1 : 0);
  sum += carried;
  return (sum + (sum < carried ? 1 : 0)) % kModulus;
}

void check(const WatermarkingConfig& config, Index vocab_size) {
  const auto range = [](const std::string& what, const std::string& got, const std::string& expected) {
    fail(ErrorCode::kRange,
         {.where = "watermarking_config: " + what, .what = "got", .got = got, .expected = expected});
  };
  if (!(config.greenlist_ratio > 0 && config.greenlist_ratio < 1))
    range("greenlist_ratio", fmt::format("{}", config.greenlist_ratio), "a number above 0 and below 1");
  if (config.context_width < 1)
    range("context_width", std::to_string(config.context_width), "an integer of at least 1");
  if (vocab_size < 1) range("vocab_size", std::to_string(vocab_size), "an integer of at least 1");
  if (config.seeding_scheme != "lefthash" && config.seeding_scheme != "selfhash")
    fail(ErrorCode::kUsage, {.where = "watermarking_config: seeding_scheme",
                             .what = "got",
                             .got = "'" + config.seeding_scheme + "'",
                             .expected = "lefthash or selfhash"});
}

}  // namespace

GreenLists::GreenLists(WatermarkingConfig config, Index vocab_size)
    : config_(std::move(config)), vocab_size_(vocab_size) {
  check(config_, vocab_size);
  if (config_.seeding_scheme != "selfhash") return;
  auto table = std::make_shared<std::vector<std::int32_t>>();
  begin_permutation(static_cast<std::uint32_t>(config_.hashing_key), kTableSize, kTableSize, *table);
  table_ = std::move(table);
}

// transformers takes the seed modulo 2^64 - 1, and the generator the lower 32 bits of that.
std::uint32_t GreenLists::seed(std::span<const Token> context) const {
  const auto key = static_cast<std::uint64_t>(config_.hashing_key);
  if (!selfhash())
    return static_cast<std::uint32_t>(multiply_modulo(static_cast<std::uint64_t>(context.back()), key));
  const auto entry = [&](Token id) {
    return static_cast<std::uint64_t>((*table_)[static_cast<std::size_t>(id % kTableSize)] + 1);
  };
  const std::uint64_t b = entry(context.back());
  const auto width = std::min(context.size(), static_cast<std::size_t>(config_.context_width));
  auto smallest = std::numeric_limits<std::int64_t>::max();
  for (const Token id : context.last(width))
    smallest = std::min(smallest, static_cast<std::int64_t>(key * entry(id) * b));  // wraps around
  // Python's remainder is never negative.
  const auto seed = smallest < 0 ? kModulus - (std::uint64_t{0} - static_cast<std::uint64_t>(smallest))
                                 : static_cast<std::uint64_t>(smallest);
  return static_cast<std::uint32_t>(seed % kModulus);
}

std::span<const Token> GreenLists::list(std::span<const Token> context) const {
  thread_local std::vector<std::int32_t> permutation;
  const auto size = static_cast<Index>(static_cast<double>(vocab_size_) * config_.greenlist_ratio);
  begin_permutation(seed(context), vocab_size_, size, permutation);
  return std::span(permutation).first(static_cast<std::size_t>(size));
}

bool GreenLists::is_green(Token id, std::span<const Token> context) const {
  return std::ranges::count(list(context), id) > 0;
}

void Watermark::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (static_cast<Index>(input_ids.size()) < lists_.config().context_width) return;
  const auto bias = static_cast<float>(lists_.config().bias);
  if (!lists_.selfhash()) {
    for (const Token id : lists_.list(input_ids))
      if (id < scores.size()) scores[id] += bias;
    return;
  }
  constexpr std::size_t kBest = 40;
  thread_local std::vector<Token> context;
  context.assign(input_ids.begin(), input_ids.end());
  context.push_back(0);
  std::size_t count = 0;
  (void)visit_in_order(distribution_of(scores).candidates, is_better, [&](const Candidate& candidate) {
    context.back() = candidate.id;
    if (count++ == kBest) return false;
    if (lists_.is_green(candidate.id, context)) scores[candidate.id] += bias;
    return true;
  });
}

}  // namespace llm
