// The forward pass against transformers: logits, hidden states, and what is inside layer 0.
#include <doctest/doctest.h>

#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {
namespace {

constexpr double kTolerance = 1e-4;  // of the largest value

const std::vector<std::string> kGoldens = {
    "tiny-qwen3.len1",         "tiny-qwen3.len7",         "tiny-qwen3.len40",       "tiny-qwen3.pad3x9",
    "tiny-qwen3-bf16.len1",    "tiny-qwen3-bf16.len7",    "tiny-qwen3-bf16.pad3x9", "tiny-qwen3-draft.len1",
    "tiny-qwen3-draft.len7",   "tiny-qwen3-draft.pad3x9", "tiny-qwen2.len1",        "tiny-qwen2.len7",
    "tiny-qwen2.len40",        "tiny-qwen2.pad3x9",       "tiny-llama.len1",        "tiny-llama.len7",
    "tiny-llama.len40",        "tiny-llama.pad3x9",       "tiny-llama-linear.len1", "tiny-llama-linear.len7",
    "tiny-llama-linear.pad3x9"};

std::string model_of(const std::string& golden) { return golden.substr(0, golden.find('.')); }

// [N, heads*Dh] of the real tokens as the fixture has it: [B, heads, T, Dh] with zeros at padding.
std::vector<float> by_heads(const PackedBatch& batch, View<const float, 2> values, Index heads) {
  const Index Dh = values.shape(1) / heads;
  Tensor<float, 4> out({batch.B, heads, batch.T, Dh}, 0.0f);
  for (Index b = 0; b < batch.B; ++b)
    for (Index i = 0; i < batch.rows[static_cast<std::size_t>(b)].count; ++i)
      for (Index h = 0; h < heads; ++h)
        for (Index d = 0; d < Dh; ++d)
          out(b, h, batch.column(b, i), d) =
              values(batch.rows[static_cast<std::size_t>(b)].begin + i, h * Dh + d);
  return {out.data(), out.data() + out.size()};
}

std::vector<float> padded(const PackedBatch& batch, View<const float, 2> values) {
  Tensor<float, 3> out({batch.B, batch.T, values.shape(1)});
  unpack(values, batch, out);
  return {out.data(), out.data() + out.size()};
}

TEST_CASE("logits and every intermediate result equal transformers'") {
  for (const std::string& name : kGoldens) {
    CAPTURE(name);
    const auto model = load_model(model_of(name));
    const Golden golden = load_golden(name);
    std::map<std::string, std::vector<float>> got;
    model->set_probe([&](const std::string& what, View<const float, 2> values) {
      const PackedBatch& batch = model->workspace().batch;
      const ModelConfig& config = model->config();
      if (what == "layer0.q_rope")
        got[what] = by_heads(batch, values, config.num_attention_heads);
      else if (what == "layer0.k_rope")
        got[what] = by_heads(batch, values, config.num_key_value_heads);
      else if (what == "hidden.norm")  // all B*T positions
        got[what] = {values.data(), values.data() + values.size()};
      else
        got[what] = padded(batch, values);
    });
    got["logits"] = run(*model, golden.batch());

    Index compared = 0;
    for (const auto& [bound_what, expected] : golden.tensors) {
      const auto& what = bound_what;  // clang 14 cannot capture the binding itself
      if (what == "logits_native") continue;
      CAPTURE(what);
      CHECK(relative_error(got[what], expected.values) < kTolerance);
      ++compared;
    }
    CHECK(compared == model->config().num_hidden_layers + 7);
    MESSAGE(name << ": largest error of a logit "
                 << relative_error(got["logits"], golden.tensors.at("logits").values));
  }
}

TEST_CASE("the hidden-state callback sees the embeddings and each layer's output, zeros at padding") {
  const auto model = load_model("tiny-qwen2");
  const Golden golden = load_golden("tiny-qwen2.pad3x9");
  Index calls = 0;
  run(*model, golden.batch(), {.on_hidden_state = [&](Index layer, View<const float, 3> hidden) {
    CHECK(layer == calls++);
    CHECK(hidden.shape() == View<const float, 3>::Shape{3, 9, 64});
    const auto& expected = golden.tensors.at("hidden." + std::to_string(layer)).values;
    CHECK(relative_error({hidden.data(), static_cast<std::size_t>(hidden.size())}, expected) < kTolerance);
  }});
  CHECK(calls == model->config().num_hidden_layers + 1);
}

TEST_CASE("logits_to_keep gives the last positions, all of them for 0 or more than there are") {
  const auto model = load_model("tiny-llama");
  const Golden golden = load_golden("tiny-llama.pad3x9");
  const Index V = model->config().vocab_size;
  const std::vector<float> all = run(*model, golden.batch());
  for (const Index keep : {1, 2, 5, 9, 100}) {
    const Index K = std::min<Index>(keep, 9);
    const std::vector<float> some = run(*model, golden.batch(), {.logits_to_keep = keep});
    REQUIRE(static_cast<Index>(some.size()) == 3 * K * V);
    for (Index b = 0; b < 3; ++b) {
      const std::span<const float> expected(all.data() + (b * 9 + 9 - K) * V,
                                            static_cast<std::size_t>(K * V));
      CHECK(relative_error({some.data() + b * K * V, static_cast<std::size_t>(K * V)}, expected) < 1e-6);
    }
  }
}

TEST_CASE("num_layers stops early: scores of the hidden state after that layer") {
  const auto model = load_model("tiny-qwen3");
  const Golden golden = load_golden("tiny-qwen3.len7");
  const Index T = 7, D = model->config().hidden_size, V = model->config().vocab_size;
  for (const Index layers : {0, 1, 2, 3}) {
    const std::vector<float> got = run(*model, golden.batch(), {.num_layers = layers});
    const auto& hidden = golden.tensors.at("hidden." + std::to_string(layers)).values;
    Tensor<float, 2> expected({T, V});
    model->head({hidden.data(), {T, D}}, expected);
    CHECK(relative_error(got, {expected.data(), static_cast<std::size_t>(expected.size())}) < kTolerance);
  }
  CHECK_THROWS_AS(run(*model, golden.batch(), {.num_layers = 4}), Error);
  CHECK_THROWS_AS(run(*model, golden.batch(), {.num_layers = -1}), Error);
  CHECK_THROWS_AS(run(*model, golden.batch(), {.logits_to_keep = -1}), Error);
}

TEST_CASE("inputs_embeds instead of ids: the same logits") {
  const auto model = load_model("tiny-qwen3-bf16");
  const Golden golden = load_golden("tiny-qwen3-bf16.pad3x9");
  Tensor<float, 3> embeds({3, 9, model->config().hidden_size});
  for (Index b = 0; b < 3; ++b) model->embed({golden.input_ids[b].begin(), 9}, embeds[b]);
  Batch batch = golden.batch();
  batch.input_ids = {};
  batch.inputs_embeds = embeds.view();
  CHECK(run(*model, batch) == run(*model, golden.batch()));
}

}  // namespace
}  // namespace llm::test
