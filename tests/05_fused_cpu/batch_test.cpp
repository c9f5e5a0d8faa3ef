// The bits of a row's scores do not depend on its neighbours, on how the text was cut, nor on the threads.
#include <doctest/doctest.h>

#include "tests/05_fused_cpu/engine_cases.h"

namespace llm::test {
namespace {

TestMemory poisoned;

constexpr DType kFormats[] = {DType::kF32, DType::kBF16, DType::kF16, DType::kQ8_0, DType::kQ4_0};

struct Case {
  DType dtype;
  Compute compute;
  std::string name() const {
    return std::string(dtype_name(dtype)) + (compute == Compute::kFast ? ", fast" : ", exact");
  }
};
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const DType dtype : kFormats)
    for (const Compute compute : {Compute::kExact, Compute::kFast}) cases.push_back({dtype, compute});
  return cases;
}

// Rows of different lengths, `tokens` tokens in all.
std::vector<std::vector<Token>> rows_of(Index tokens, Index vocab_size) {
  std::vector<std::vector<Token>> rows;
  for (Index row = 0; tokens > 0; ++row) {
    const Index length = std::min(tokens, 1 + 5 * row % 9);
    rows.push_back(text(length, vocab_size, row));
    tokens -= length;
  }
  return rows;
}

TEST_CASE("a row of a batch has the bits of the row alone, in batches of few tokens and of many") {
  const ModelConfig config = block_config("qwen3");
  for (const Case& c : all_cases())
    for (const LadderStep& step : ladder_steps()) {
      if (step.number < 8 && c.dtype != DType::kF32 && c.dtype != DType::kQ8_0) continue;
      CAPTURE(c.name());
      CAPTURE(step.name);
      const auto model =
          fused(config, checkpoint_in(config, c.dtype, 2), {.num_threads = 2, .compute = c.compute}, &step);
      for (const Index tokens : {5, 24, 25, 61}) {
        CAPTURE(tokens);
        const auto rows = rows_of(tokens, config.vocab_size);
        const std::vector<float> together = scores(*model, rows);
        const auto T = static_cast<Index>(together.size() / rows.size()) / config.vocab_size;
        for (std::size_t b = 0; b < rows.size(); ++b) {
          const auto end = together.begin() + static_cast<Index>(b + 1) * T * config.vocab_size;
          const std::vector<float> alone = scores(*model, {rows[b]});
          CHECK(std::equal(alone.begin(), alone.end(), end - static_cast<Index>(alone.size()), end));
        }
      }
    }
}

TEST_CASE("1, 2, 3, 5 and 8 threads: the same bits, on every step and instruction set") {
  ModelConfig config = block_config("llama");
  config.vocab_size = 300;
  for (const Case& c : all_cases())
    for (const LadderStep& step : ladder_steps())
      for (const Isa isa : available_isas()) {
        if (isa != active_isa() && step.number < 8) continue;
        CAPTURE(c.name());
        CAPTURE(step.name);
        CAPTURE(isa_name(isa));
        const std::vector<Token> ids = text(40, config.vocab_size);
        std::vector<float> whole, decoded;
        std::vector<Token> best;
        const bool last = step.number == 8 && isa == active_isa();
        for (const int threads : {1, 2, 3, 5, 8}) {
          if (!last && threads != 1 && threads != 3) continue;
          const auto model = fused(config, checkpoint_in(config, c.dtype, 4),
                                   {.num_threads = threads, .isa = isa, .compute = c.compute}, &step);
          const std::vector<float> got = scores(*model, {ids});
          const auto cache = model->make_cache({});
          const std::vector<float> steps = in_chunks(*model, *cache, {ids.begin(), ids.begin() + 5}, 1);
          const std::vector<Token> tokens = model->forward(PaddedBatch({ids}).batch(), nullptr, {}).argmax();
          if (threads == 1) whole = got, decoded = steps, best = tokens;
          CHECK(got == whole);
          CHECK(steps == decoded);
          CHECK(tokens == best);
        }
      }
}

TEST_CASE("decoding over thousands of positions: threads share the keys, and change no bit") {
  ModelConfig config = block_config("qwen3");
  config.max_position_embeddings = 2000;
  config.num_hidden_layers = 1;
  config.layer_types.resize(1);
  const auto checkpoint = [&] { return to_checkpoint(config, random_weights(config, 9)); };
  const std::vector<Token> ids = text(1300, config.vocab_size);
  for (const char* kind : {"dynamic", "int8"}) {
    std::vector<float> expected;
    for (const int threads : {1, 2, 3, 8}) {
      const auto model = fused(config, checkpoint(), {.num_threads = threads});
      const auto cache = model->make_cache({.cache = kind, .residual_length = {}, .memory = &poisoned});
      const PaddedBatch prompt({std::vector<Token>(ids.begin(), ids.end() - 1)});
      model->forward(prompt.batch(), cache.get(), {.logits_to_keep = 1});
      const PaddedBatch last({{ids.back()}}, {1299});
      const std::vector<float> got = scores(*model, last.batch(), cache.get());
      if (threads == 1) expected = got;
      CHECK(got == expected);
      if (kind == std::string("dynamic")) CHECK(same_last(scores(*model, {ids}), got, config.vocab_size));
    }
  }
}

TEST_CASE("a text in chunks has the bits of the whole text") {
  ModelConfig config = block_config("qwen3");
  set_sliding_window(config, 11);
  config.layer_types[2] = LayerType::kFullAttention;
  const std::vector<Token> ids = text(40, config.vocab_size);
  for (const Case& c : all_cases()) {
    CAPTURE(c.name());
    const auto model =
        fused(config, checkpoint_in(config, c.dtype, 3), {.num_threads = 3, .compute = c.compute});
    const std::vector<float> whole = scores(*model, {ids});
    for (const char* kind : {"dynamic", "static", "sliding"})
      for (const Index chunk : {1, 3, 25, 39}) {
        CAPTURE(kind);
        CAPTURE(chunk);
        const auto cache =
            model->make_cache({.cache = kind, .max_cache_len = 40, .max_chunk = 3, .memory = &poisoned});
        CHECK(in_chunks(*model, *cache, ids, chunk) == whole);
      }
  }
}

// Drafts of 4 tokens, of which each time another number is right; the wrong ones are taken back.
TEST_CASE("5 positions at once have the bits of one after the other, also after drafts were taken back") {
  const ModelConfig config = block_config("llama");
  const std::vector<Token> ids = text(40, config.vocab_size);
  for (const Case& c : all_cases()) {
    CAPTURE(c.name());
    const auto model =
        fused(config, checkpoint_in(config, c.dtype, 7), {.num_threads = 2, .compute = c.compute});
    const std::vector<float> whole = scores(*model, {ids});
    const auto cache = model->make_cache({.cache = "static", .max_cache_len = 45, .memory = &poisoned});
    const Index V = config.vocab_size;
    Index length = 0;
    for (Index round = 0; length + 5 <= 40; ++round) {
      const Index right = 1 + round % 5;
      std::vector<Token> draft(ids.begin() + length, ids.begin() + length + 5);
      for (Index i = right; i < 5; ++i) draft[static_cast<std::size_t>(i)] = static_cast<Token>(i + 1);
      const std::vector<float> got = scores(*model, PaddedBatch({draft}, {length}).batch(), cache.get());
      CHECK(std::equal(got.begin(), got.begin() + right * V, whole.begin() + length * V));
      length += right;
      cache->crop(0, length);
    }
  }
}

TEST_CASE("left-padded rows through each kind of cache: the scores of the rows alone, also when rows leave") {
  ModelConfig config = block_config("qwen3");
  set_sliding_window(config, 6);
  const auto model = fused(config, to_checkpoint(config, random_weights(config, 2)), {.num_threads = 2});
  const Index V = config.vocab_size;
  const std::vector<Index> lengths = {9, 4, 1};
  const auto piece = [&](Index row, Index first, Index count) {
    const std::vector<Token> all = text(40, V, row);
    return std::vector<Token>(all.begin() + first, all.begin() + first + count);
  };
  for (const CacheSpec& spec : all_specs(&poisoned, 40)) {
    CAPTURE(cache_name(spec));
    std::vector<std::vector<std::vector<float>>> alone(3);
    for (Index row = 0; row < 3; ++row) {
      const Index length = lengths[static_cast<std::size_t>(row)];
      const auto cache = model->make_cache(spec);
      auto& steps = alone[static_cast<std::size_t>(row)];
      steps.push_back(
          scores(*model, PaddedBatch({piece(row, 0, length)}).batch(), cache.get(), {.logits_to_keep = 1}));
      for (Index step = 0; step < 8; ++step)
        steps.push_back(scores(*model, PaddedBatch({piece(row, length + step, 1)}, {length + step}).batch(),
                               cache.get()));
    }
    CacheSpec three = spec;
    three.num_rows = 3;
    const auto cache = model->make_cache(three);
    std::vector<Index> open = {0, 1, 2};
    std::vector<float> got =
        scores(*model, PaddedBatch({piece(0, 0, 9), piece(1, 0, 4), piece(2, 0, 1)}).batch(), cache.get(),
               {.logits_to_keep = 1});
    for (Index step = 0; step < 8; ++step) {
      for (std::size_t b = 0; b < open.size(); ++b)
        CHECK(std::equal(got.begin() + static_cast<Index>(b) * V, got.begin() + static_cast<Index>(b + 1) * V,
                         alone[static_cast<std::size_t>(open[b])][static_cast<std::size_t>(step)].begin()));
      if (step == 4) cache->reorder(open = {2, 0});
      std::vector<std::vector<Token>> next;
      std::vector<Index> positions;
      for (const Index row : open) {
        positions.push_back(lengths[static_cast<std::size_t>(row)] + step);
        next.push_back(piece(row, positions.back(), 1));
      }
      got = scores(*model, PaddedBatch(next, positions).batch(), cache.get());
    }
  }
}

}  // namespace
}  // namespace llm::test
