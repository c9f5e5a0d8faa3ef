// The file that --dump-layers writes: every tensor of the forward fixtures, by transformers' names and
// values.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/dump_layers.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

TEST_CASE("a dumped file reads back as the fixture's tensors") {
  const TempFolder folder;
  for (const char* name : {"tiny-qwen3", "tiny-llama"}) {
    const auto model = load_model(name);
    const Golden golden = load_golden(std::string(name) + ".len7");
    const View<const Token, 1> ids = golden.input_ids[0];
    write_safetensors(folder.path() / "dump.safetensors", dump_layers(*model, {ids.begin(), ids.end()}));
    const Golden dumped = read_golden(folder.path() / "dump.safetensors");
    const auto L = static_cast<std::size_t>(model->config().num_hidden_layers);
    CHECK(dumped.tensors.size() == 3 + 5 * L);  // embeddings, norm, logits; five a layer
    for (const auto& [bound_what, expected] : golden.tensors) {
      const auto& what = bound_what;  // clang 14 cannot capture the binding itself
      CAPTURE(what);
      REQUIRE(dumped.tensors.contains(what));
      CHECK(dumped.tensors.at(what).shape == expected.shape);
      CHECK(relative_error(dumped.tensors.at(what).values, expected.values) < 1e-4);
    }
  }
}

TEST_CASE("the size of a tensor: root mean square and largest magnitude") {
  const std::vector<float> values = {3, -4, 0, 0};
  CHECK(size_of(values).rms == doctest::Approx(2.5));
  CHECK(size_of(values).largest == 4);
}

}  // namespace
}  // namespace llm::test
