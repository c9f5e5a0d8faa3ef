#include "common/io/checkpoint.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

#include "common/base/error.h"
#include "common/base/timing.h"
#include "tests/common/io/checkpoint_files.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

TEST_CASE("weights are found by name and shape") {
  const TempFolder folder;
  folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(checkpoint->has("lm_head.weight"));
  CHECK_FALSE(checkpoint->has("lm_head.bias"));
  CHECK(checkpoint->entries().size() == 3);
  CHECK(checkpoint->unused() == std::vector<std::string>{"model.norm.weight", "lm_head.weight", "ids"});
  CHECK(values_of(checkpoint->matrix("lm_head.weight", 2, 4)) == counting(8, 10));
  CHECK(values_of(checkpoint->vector("model.norm.weight", 3)) == counting(3));
  CHECK(checkpoint->unused() == std::vector<std::string>{"ids"});
  checkpoint->expect("lm_head.weight", std::array<Index, 2>{2, 4});
  CHECK_THROWS_AS(checkpoint->expect("lm_head.weight", std::array<Index, 1>{8}), Error);
  CHECK(checkpoint->gguf() == nullptr);
  CHECK(checkpoint->weight_bytes() == 52);
}

TEST_CASE("weights stay in the file unless they lie misaligned there; then they are copied once") {
  int in_place = 0;
  for (const std::size_t padding : {0, 1, 2, 3}) {
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(folder.write("x.safetensors", two_tensors(padding)));
    const Weight weight = checkpoint->matrix("lm_head.weight", 2, 4);
    CHECK(reinterpret_cast<std::uintptr_t>(weight.data) % alignof(float) == 0);
    CHECK(values_of(weight) == counting(8, 10));
    CHECK(checkpoint->matrix("lm_head.weight", 2, 4).data == weight.data);
    CHECK(values_of(checkpoint->vector("model.norm.weight", 3)) == counting(3));
    in_place += checkpoint->copied_bytes() == 0;
    CHECK((checkpoint->copied_bytes() == 0 || checkpoint->copied_bytes() == 44));
  }
  CHECK(in_place == 1);
}

TEST_CASE("opening a gigabyte touches only the pages that are read") {
  const TempFolder folder;
  const Index rows = 1 << 17, cols = 4096;  // BF16: 1.07 GB, which take no room on the disk
  const std::string header =
      R"({"w": {"dtype": "BF16", "shape": [131072, 4096], "data_offsets": [0, 1073741824]}})";
  const auto path = folder.write("model.safetensors", safetensors_bytes(header, ""));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 1'073'741'824);
  const Index before = resident_bytes();
  const auto checkpoint = Checkpoint::open(path);
  const Weight weight = checkpoint->matrix("w", rows, cols);
  std::vector<float> row(cols, 1.0f);
  dequantize_row(weight, rows - 1, row);
  CHECK(row == std::vector<float>(cols, 0.0f));
  CHECK(checkpoint->copied_bytes() == 0);
  CHECK(resident_bytes() - before < 20'000'000);
}

TEST_CASE("a wrong name, shape or format is named") {
  const TempFolder folder;
  const auto path = folder.write("model.safetensors", two_tensors());
  const auto checkpoint = Checkpoint::open(folder.path());
  const std::string offset = std::to_string(std::filesystem::file_size(path) - 40);
  CHECK(message_of([&] { checkpoint->matrix("lm_head.weight", 2, 5, "vocab_size 2 * hidden_size 5"); }) ==
        path.string() + ": tensor 'lm_head.weight' at byte " + offset +
            ": shape [2,4], expected [2,5] (vocab_size 2 * hidden_size 5)");
  CHECK(message_of([&] { checkpoint->vector("lm_head.weight", 8); }).ends_with("shape [2,4], expected [8]"));
  CHECK(message_of([&] {
          checkpoint->matrix("model.norm.weight", 1, 3);
        }).ends_with("shape [3], expected [1,3]"));
  CHECK(message_of([&] { checkpoint->matrix("lm_heads.weight", 2, 4); }) ==
        path.string() + ": there is no tensor 'lm_heads.weight'; the nearest name is 'lm_head.weight'");
  CHECK(message_of([&] { checkpoint->vector("something.else.entirely", 2); }) ==
        path.string() + ": there is no tensor 'something.else.entirely'");
  CHECK(message_of([&] { checkpoint->vector("ids", 1); }).find("weights of type I64, expected F32, F16") !=
        std::string::npos);
}

TEST_CASE("8-bit floats are listed, and named when they are asked for") {
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write(
      "m.safetensors",
      safetensors_bytes(R"({"w": {"dtype": "F8_E4M3", "shape": [2, 2], "data_offsets": [0, 4]}})", "abcd")));
  CHECK(checkpoint->entries()[0].tensor.dtype_name == "F8_E4M3");
  CHECK(message_of([&] { checkpoint->matrix("w", 2, 2); }).find("F8_E4M3") != std::string::npos);
}

TEST_CASE("a path that leads to no weights is a clear error") {
  const TempFolder folder;
  CHECK(message_of([&] { Checkpoint::open(folder.path() / "no"); }) ==
        (folder.path() / "no").string() + ": no such file or folder");
  CHECK(message_of([&] { Checkpoint::open(folder.path()); }).find("no weights in this folder") !=
        std::string::npos);
  folder.write("a.gguf", GgufBuilder().string("general.architecture", "qwen3").bytes());
  CHECK(Checkpoint::open(folder.path())->gguf() != nullptr);
  folder.write("b.gguf", GgufBuilder().bytes());
  CHECK(message_of([&] { Checkpoint::open(folder.path()); }).find("several .gguf files") !=
        std::string::npos);
  CHECK(Checkpoint::open(folder.path() / "b.gguf")->entries().empty());
  CHECK(message_of([&] { Checkpoint::open(folder.write("c.gguf", "not one")); }).find("magic") !=
        std::string::npos);
}

TEST_CASE("a sharded model is one checkpoint") {
  const TempFolder folder;
  write_shards(folder);
  const auto checkpoint = Checkpoint::open(folder.path());
  CHECK(values_of(checkpoint->matrix("a", 1, 2)) == counting(2, 1));
  CHECK(values_of(checkpoint->matrix("b", 1, 2)) == counting(2, 5));
  CHECK(message_of([&] {
          checkpoint->matrix("b", 2, 1);
        }).find("model-00002-of-00002.safetensors: tensor 'b'") != std::string::npos);
}

TEST_CASE("GGUF's names become Hugging Face's") {
  const std::map<std::string, std::string> names = {
      {"token_embd.weight", "model.embed_tokens.weight"},
      {"output_norm.weight", "model.norm.weight"},
      {"output.weight", "lm_head.weight"},
      {"blk.0.attn_norm.weight", "model.layers.0.input_layernorm.weight"},
      {"blk.12.attn_q.weight", "model.layers.12.self_attn.q_proj.weight"},
      {"blk.12.attn_k.bias", "model.layers.12.self_attn.k_proj.bias"},
      {"blk.1.attn_v.bias", "model.layers.1.self_attn.v_proj.bias"},
      {"blk.1.attn_output.weight", "model.layers.1.self_attn.o_proj.weight"},
      {"blk.1.attn_q_norm.weight", "model.layers.1.self_attn.q_norm.weight"},
      {"blk.1.attn_k_norm.weight", "model.layers.1.self_attn.k_norm.weight"},
      {"blk.1.ffn_norm.weight", "model.layers.1.post_attention_layernorm.weight"},
      {"blk.1.ffn_gate.weight", "model.layers.1.mlp.gate_proj.weight"},
      {"blk.1.ffn_up.weight", "model.layers.1.mlp.up_proj.weight"},
      {"blk.1.ffn_down.weight", "model.layers.1.mlp.down_proj.weight"},
      {"rope_freqs.weight", "rope_freqs.weight"},
      {"blk.x.ffn_down.weight", "blk.x.ffn_down.weight"},
      {"blk.3.unknown.weight", "blk.3.unknown.weight"},
      {"blk.3", "blk.3"}};
  GgufBuilder builder;
  builder.string("general.architecture", "qwen3");
  for (const auto& [gguf, hugging_face] : names) builder.tensor(gguf, {1}, 0, "abcd");
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
  CHECK(checkpoint->entries().size() == names.size());
  for (const auto& [gguf, hugging_face] : names) CHECK(checkpoint->has(hugging_face));
  for (const Checkpoint::Entry& entry : checkpoint->entries())
    CHECK(names.at(entry.name_in_file) == entry.tensor.name);
  CHECK(message_of([&] {
          checkpoint->vector("lm_head.weight", 2);
        }).find("'lm_head.weight' (output.weight) at byte") != std::string::npos);
}

TEST_CASE(
    "a llama GGUF's q and k rows come back in Hugging Face's order, those of other families are untouched") {
  for (const std::string architecture : {"llama", "qwen2"}) {
    GgufBuilder builder;
    builder.string("general.architecture", architecture);
    builder.uint32("llama.attention.head_count", 3).uint32("llama.attention.head_count_kv", 1);
    builder.tensor("blk.0.attn_q.weight", {2, 18}, 0, interleaved(3, 6, 2));
    builder.tensor("blk.0.attn_k.weight", {2, 6}, 0, interleaved(1, 6, 2));
    builder.tensor("blk.0.attn_k.bias", {6}, 0, interleaved(1, 6, 1));
    builder.tensor("blk.0.attn_v.weight", {2, 6}, 0, interleaved(1, 6, 2));
    const TempFolder folder;
    const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
    const bool llama = architecture == "llama";
    const auto check_rows = [&](const Weight& weight, bool in_order) {
      const Index step = weight.rows == 1 ? 1 : weight.cols;
      const std::vector<float> values = values_of(weight);
      bool ordered = true;
      for (std::size_t i = 0; i < values.size(); i += step)
        ordered &= values[i] == static_cast<float>(i / step * 100);
      CHECK(ordered == in_order);
    };
    for (int twice = 0; twice < 2; ++twice) {
      check_rows(checkpoint->matrix("model.layers.0.self_attn.q_proj.weight", 18, 2), llama);
      check_rows(checkpoint->matrix("model.layers.0.self_attn.k_proj.weight", 6, 2), llama);
      check_rows(checkpoint->vector("model.layers.0.self_attn.k_proj.bias", 6), llama);
      check_rows(checkpoint->matrix("model.layers.0.self_attn.v_proj.weight", 6, 2), false);
    }
    CHECK(checkpoint->copied_bytes() == (llama ? (36 + 12 + 6) * 4 : 0));
  }
}

TEST_CASE("quantised rows are put back in order as they are") {
  std::string rows;
  for (const char first : {'a', 'c', 'b', 'd'}) rows += std::string(34, first);  // one Q8_0 block a row
  GgufBuilder builder;
  builder.string("general.architecture", "llama").uint32("llama.attention.head_count", 1);
  builder.tensor("blk.0.attn_q.weight", {32, 4}, 8, rows);
  const TempFolder folder;
  const auto checkpoint = Checkpoint::open(folder.write("m.gguf", builder.bytes()));
  const Weight weight = checkpoint->matrix("model.layers.0.self_attn.q_proj.weight", 4, 32);
  CHECK(weight.dtype == DType::kQ8_0);
  for (int r = 0; r < 4; ++r) CHECK(static_cast<char>(*weight.row(r)) == "abcd"[r]);
}

TEST_CASE("a llama GGUF whose heads do not divide the rows is refused, and so is a part of a split one") {
  const TempFolder folder;
  GgufBuilder odd;
  odd.string("general.architecture", "llama").uint32("llama.attention.head_count", 3);
  odd.tensor("blk.0.attn_q.weight", {1, 9}, 0, std::string(36, 'x'));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", odd.bytes())); }).find("3 heads") !=
        std::string::npos);
  GgufBuilder zero;
  zero.string("general.architecture", "llama").uint32("llama.attention.head_count", 0);
  zero.tensor("blk.0.attn_q.weight", {1, 8}, 0, std::string(32, 'x'));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", zero.bytes())); }).find("head_count") !=
        std::string::npos);
  GgufBuilder split;
  split.string("general.architecture", "llama").value("split.count", 2, raw(std::uint16_t{3}));
  CHECK(message_of([&] { Checkpoint::open(folder.write("m.gguf", split.bytes())); }).find("one of 3 parts") !=
        std::string::npos);
}

}  // namespace
}  // namespace llm
