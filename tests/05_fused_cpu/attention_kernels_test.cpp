// The kernels of attention on each format of a cache, against double precision.
#include <doctest/doctest.h>

#include "chapters/05_fused_cpu/step_5_attention.h"
#include "tests/05_fused_cpu/kernel_cases.h"

namespace llm::test {
namespace {

constexpr Index kTokens = 21, kHeads = 2;

const char* name_of(KvFormat format) {
  const char* names[] = {"F32", "F16", "BF16", "INT8", "INT4"};
  return names[static_cast<int>(format)];
}

// Keys or values of kHeads heads and kTokens tokens in a cache's format, [token, head, Dh] or [head, token,
// Dh], with gaps. The memory, and that of the scales, ends behind the last value.
class KvCase {
 public:
  KvCase(KvFormat format, Index Dh, Index group, bool heads_first)
      : Dh_(Dh),
        size_(format == KvFormat::kF32    ? 4
              : format == KvFormat::kInt8 ? 1
                                          : 2),
        groups_(group > 0 ? Dh / group : 0),
        inner_(Dh + (format == KvFormat::kInt8 ? 3 : 2)),
        outer_((heads_first ? kTokens : kHeads) * inner_ + 5),
        bytes_(((heads_first ? kHeads : kTokens) - 1) * outer_ * size_ +
               (((heads_first ? kTokens : kHeads) - 1) * inner_ + Dh) * size_),
        scales_(kTokens * kHeads * groups_) {
    view_.format = format;
    view_.data = bytes_.data();
    view_.token_stride_bytes = (heads_first ? inner_ : outer_) * size_;
    view_.head_stride_bytes = (heads_first ? outer_ : inner_) * size_;
    view_.scales = scales_.data();
    view_.group_size = group;
    view_.scale_token_stride = heads_first ? groups_ : kHeads * groups_;
    view_.scale_head_stride = heads_first ? kTokens * groups_ : groups_;
    for (Index i = 0; i < scales_.size(); ++i) scales_[i] = (1.5f + number(12, i)) / 127;
    for (Index h = 0; h < kHeads; ++h)
      for (Index t = 0; t < kTokens; ++t)
        for (Index d = 0; d < Dh; ++d) set(h, t, d, number(13, (h * kTokens + t) * Dh + d));
  }

  const KvView& view() const { return view_; }
  double value(Index h, Index t, Index d) const {
    return values_[static_cast<std::size_t>((h * kTokens + t) * Dh_ + d)];
  }

 private:
  void set(Index h, Index t, Index d, float value) {
    std::byte* to = const_cast<std::byte*>(view_.at(h, t)) + d * size_;
    if (view_.format == KvFormat::kInt8) {
      const int code = static_cast<int>(value * 127);
      *to = static_cast<std::byte>(code);
      values_.push_back(static_cast<double>(view_.scales_at(h, t)[d / view_.group_size]) * code);
      return;
    }
    std::uint16_t bits = 0;
    if (view_.format == KvFormat::kF16) value = f16_to_float(bits = float_to_f16(value));
    if (view_.format == KvFormat::kBF16) value = bf16_to_float(bits = float_to_bf16(value));
    if (view_.format == KvFormat::kF32)
      std::memcpy(to, &value, 4);
    else
      std::memcpy(to, &bits, 2);
    values_.push_back(static_cast<double>(value));
  }

  Index Dh_, size_, groups_, inner_, outer_;
  Guarded<std::byte> bytes_;
  Guarded<float> scales_;
  KvView view_;
  std::vector<double> values_;
};

// One panel of queries and the tokens [first, kTokens) of a head.
class PanelCase {
 public:
  PanelCase(const KvCase& kv, Index head, Index M, Index Dh, Index first)
      : kv_(kv),
        count_(kTokens - first),
        queries_(M * Dh),
        scores_((M - 1) * (count_ + 4) + count_),
        out_(M * Dh) {
    panel_ = {.queries = queries_.data(),
              .M = M,
              .head_dim = Dh,
              .view = kv.view(),
              .head = head,
              .first = first,
              .count = count_,
              .scores = scores_.data(),
              .score_stride = count_ + 4,
              .out = out_.data()};
    fill(queries_.all(), 14);
  }

  Index wrong_scores(const Kernels& kernels) {
    kernels.scores(panel_);
    Index wrong = 0;
    for (Index i = 0; i < scores_.size(); ++i) {
      const Index m = i / panel_.score_stride, t = i % panel_.score_stride;
      Exact exact;
      for (Index d = 0; d < panel_.head_dim && t < count_; ++d)
        exact.add(static_cast<double>(queries_[m * panel_.head_dim + d]),
                  kv_.value(panel_.head, panel_.first + t, d));
      wrong += t < count_ ? !exact.near(scores_[i], panel_.head_dim) : !std::isnan(scores_[i]);
    }
    return wrong;
  }

  Index wrong_values(const Kernels& kernels) {
    fill(out_.all(), 15);
    const std::vector<float> before(out_.data(), out_.end());
    for (Index m = 0; m < panel_.M; ++m)
      for (Index t = 0; t < count_; ++t)
        scores_[m * panel_.score_stride + t] = std::abs(number(16, m * kTokens + t));
    kernels.add_values(panel_);
    Index wrong = 0;
    for (Index m = 0; m < panel_.M; ++m)
      for (Index d = 0; d < panel_.head_dim; ++d) {
        Exact exact;
        exact.add(1, static_cast<double>(before[static_cast<std::size_t>(m * panel_.head_dim + d)]));
        for (Index t = 0; t < count_; ++t)
          exact.add(static_cast<double>(scores_[m * panel_.score_stride + t]),
                    kv_.value(panel_.head, panel_.first + t, d));
        wrong += !exact.near(out_[m * panel_.head_dim + d], count_);
      }
    return wrong;
  }

 private:
  const KvCase& kv_;
  Index count_;
  Guarded<float> queries_, scores_, out_;
  AttentionPanel panel_;
};

void check(KvFormat format, Index Dh, Index group = 0) {
  for (const bool heads_first : {false, true}) {
    const KvCase kv(format, Dh, group, heads_first);
    for (const Isa isa : available_isas()) {
      Index wrong = 0;
      for (const Index M : {1, 2, 3, 5, 6, 7, 9, 13, 48})
        for (const Index first : {0, 1, 2, 13, 20})
          for (const Index head : {0, 1}) {
            if (M == 48 && first != 1) continue;
            PanelCase panel(kv, head, M, Dh, first);
            wrong += panel.wrong_scores(kernels_for(isa));
            wrong += panel.wrong_values(kernels_for(isa));
          }
      CAPTURE(name_of(format));
      CAPTURE(Dh);
      CAPTURE(group);
      CAPTURE(isa_name(isa));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("scores and weighted values: float32 caches, heads of any size") {
  for (const Index Dh : {1, 2, 3, 4, 5, 6, 8, 16, 20, 31, 32, 33, 40, 64, 67, 80, 96, 128})
    check(KvFormat::kF32, Dh);
}

TEST_CASE("scores and weighted values: F16 and BF16 caches") {
  for (const Index Dh : {32, 64, 96, 128})
    for (const KvFormat format : {KvFormat::kF16, KvFormat::kBF16}) check(format, Dh);
}

TEST_CASE("scores and weighted values: INT8 caches, groups of 32, 64 and 128") {
  for (const Index Dh : {32, 64, 96, 128})
    for (const Index group : {32, 64, 128})
      if (Dh % group == 0) check(KvFormat::kInt8, Dh, group);
}

// Parts of a softmax put together are the softmax of all, whichever has the largest score.
TEST_CASE("parts of an attention add up, with scores of +-1e4 too") {
  for (const std::vector<float>& scores : std::vector<std::vector<float>>{
           {1, 2, -1, 0.5f}, {1e4f, -1e4f, 3, 1e4f}, {-1e4f, -1e4f, 1e4f, 0}, {-1e4f, -1e4f, -1e4f, -1e4f}}) {
    const std::vector<float> values = {3, -5, 7, 11};
    double sum = 0, expected = 0;
    const float largest = *std::ranges::max_element(scores);
    for (std::size_t i = 0; i < 4; ++i) {
      const double e = std::exp(static_cast<double>(scores[i] - largest));
      sum += e;
      expected += e * static_cast<double>(values[i]);
    }
    std::vector<float> all = {0.0f};
    SoftmaxPart all_softmax;  // of no key
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<float> one = {values[i]};
      SoftmaxPart softmax = {scores[i], 1};
      add_part({View<float, 2>(one.data(), {1, 1}), &softmax},
               {View<float, 2>(all.data(), {1, 1}), &all_softmax});
      SoftmaxPart none;
      std::vector<float> nothing = {NAN};
      add_part({View<float, 2>(nothing.data(), {1, 1}), &none},
               {View<float, 2>(all.data(), {1, 1}), &all_softmax});
    }
    CHECK(all_softmax.largest == largest);
    CHECK(static_cast<double>(all[0] / all_softmax.sum) == doctest::Approx(expected / sum).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace llm::test
