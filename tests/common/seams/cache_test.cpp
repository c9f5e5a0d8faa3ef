#include "tests/common/seams/cache_conformance.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {
namespace {

CacheTraits traits_of(CacheFault fault, std::optional<Index> capacity = {}) {
  return {.name = "reference",
          .make = [fault, capacity](Index rows) -> std::unique_ptr<CacheLayer> {
            return std::make_unique<ReferenceLayer>(rows, 2, 8, capacity, fault);
          },
          .capacity = capacity};
}

Checks whole_cache(WholeCacheFault fault) {
  const CacheTraits traits = {.name = "reference", .make = {}};
  return cache_conformance(traits, 3, [fault](Index rows) -> std::unique_ptr<Cache> {
    return std::make_unique<ReferenceCache>(nullptr, 3, rows, 2, 8, fault);
  });
}

TEST_CASE("a correct cache layer conforms, with a capacity and without") {
  expect_conforms(cache_layer_conformance(traits_of(CacheFault::kNone)));
  expect_conforms(cache_layer_conformance(traits_of(CacheFault::kNone, 12)));
}

TEST_CASE("every mistake in a cache layer is caught, by the claim that names it") {
  const std::pair<CacheFault, const char*> kFaults[] = {
      {CacheFault::kStoresReferences, "keys and values are those of their positions"},
      {CacheFault::kIgnoresStrides, "keys and values are those of their positions"},
      {CacheFault::kMixesRows, "get_seq_length after one token"},
      {CacheFault::kNewestFirst, "oldest first"},
      {CacheFault::kWrongFirstPosition, "follow one another"},
      {CacheFault::kEmptyBlock, "not empty"},
      {CacheFault::kCropsOneTooMany, "get_seq_length after crop"},
      {CacheFault::kCropsSilently, "crop refuses a length that is not there"},
      {CacheFault::kSharesCopies, "after new tokens in one of several copies"},
      {CacheFault::kReordersInPlace, "after a rotation of the rows"},
      {CacheFault::kReorderKeepsCount, "num_rows after reorder to one row"},
      {CacheFault::kAddRowsCopies, "after add_rows"},
      {CacheFault::kResetForgetsNothing, "after reset"},
      {CacheFault::kStoresHalf, "after a refused update"},
      {CacheFault::kCountsNoMemory, "memory_bytes"},
      {CacheFault::kOffloadLoses, "keys and values are those of their positions"},
  };
  for (const auto& [bound_fault, claim] : kFaults) {
    const auto& fault = bound_fault;  // clang 14 cannot capture the binding itself
    CAPTURE(static_cast<int>(fault));
    const bool full = fault == CacheFault::kStoresHalf;
    expect_caught(cache_layer_conformance(traits_of(fault, full ? std::optional<Index>(12) : std::nullopt)),
                  claim);
  }
}

TEST_CASE("a whole cache conforms, and mistakes between its layers are caught") {
  expect_conforms(whole_cache(WholeCacheFault::kNone));
  expect_caught(whole_cache(WholeCacheFault::kFirstLayerOnly), "after crop of the cache");
  expect_caught(whole_cache(WholeCacheFault::kLayersShareTokens), "after update of every layer");
  expect_caught(whole_cache(WholeCacheFault::kStopsHalfway), "after a refused reorder of the cache");
}

}  // namespace
}  // namespace llm::test
