#include "chapters/01_tokenizer/normalizer.h"

#include <algorithm>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(NormalForm form) : form_(form) { prepare_normal_form(form); }

  void apply(NormalizedText& text) const override {
    const std::string start = text.text.substr(0, text.from_start_bytes);
    text.text = normalize_unicode(text.text, form_);
    text.from_start_bytes =
        static_cast<Index>(std::min(normalize_unicode(start, form_).size(), text.text.size()));
  }

 private:
  NormalForm form_;
};

class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}

  void apply(NormalizedText& text) const override {
    if (text.text.empty()) return;
    text.text.insert(0, prefix_);
    if (text.from_start_bytes > 0) text.from_start_bytes += static_cast<Index>(prefix_.size());
  }

 private:
  std::string prefix_;
};

class ReplaceNormalizer final : public Normalizer {
 public:
  ReplaceNormalizer(std::unique_ptr<Matcher> what, std::string by)
      : what_(std::move(what)), by_(std::move(by)) {}

  void apply(NormalizedText& text) const override {
    std::string out;
    Index copied = 0, from_start = text.from_start_bytes;
    what_->for_each_match(text.text, [&](Index begin, Index end) {
      out.append(text.text, copied, begin - copied).append(by_);
      copied = end;
      const auto grown = static_cast<Index>(by_.size()) - (end - begin);
      if (end <= text.from_start_bytes) {
        from_start += grown;
      } else if (begin < text.from_start_bytes) {
        from_start -= text.from_start_bytes - begin;
      }
    });
    out.append(text.text, copied);
    text.text = std::move(out);
    text.from_start_bytes = from_start;
  }

 private:
  std::unique_ptr<Matcher> what_;
  std::string by_;
};

class StripNormalizer final : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

  void apply(NormalizedText& text) const override {
    const auto size = static_cast<Index>(text.text.size());
    Index begin = 0, end = 0;  // of what stays
    bool any = false;
    for (Index at = 0; at < size;) {
      const DecodedCodePoint c = decode_code_point(text.text, at);
      if (!is_whitespace(c.value)) {
        if (!any) begin = at;
        any = true;
        end = at + c.length;
      }
      at += c.length;
    }
    if (!any && (left_ || right_)) begin = end = size;
    if (!left_) begin = any || !right_ ? 0 : begin;
    if (!right_) end = size;
    text.text = text.text.substr(begin, end - begin);
    text.from_start_bytes = std::clamp<Index>(text.from_start_bytes - begin, 0, end - begin);
  }

 private:
  bool left_, right_;
};

class LowercaseNormalizer final : public Normalizer {
 public:
  void apply(NormalizedText& text) const override {
    const std::string start = text.text.substr(0, text.from_start_bytes);
    text.from_start_bytes = static_cast<Index>(lowercase(start).size());
    text.text = lowercase(text.text);
  }
};

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<NormalizerPtr> steps) : steps_(std::move(steps)) {}

  void apply(NormalizedText& text) const override {
    for (const NormalizerPtr& step : steps_) step->apply(text);
  }

 private:
  std::vector<NormalizerPtr> steps_;
};

}  // namespace

NormalizerPtr make_unicode_normalizer(NormalForm form) { return std::make_unique<UnicodeNormalizer>(form); }

NormalizerPtr make_prepend_normalizer(std::string prefix) {
  return std::make_unique<PrependNormalizer>(std::move(prefix));
}

NormalizerPtr make_replace_normalizer(std::unique_ptr<Matcher> what, std::string by) {
  return std::make_unique<ReplaceNormalizer>(std::move(what), std::move(by));
}

NormalizerPtr make_strip_normalizer(bool left, bool right) {
  return std::make_unique<StripNormalizer>(left, right);
}

NormalizerPtr make_lowercase_normalizer() { return std::make_unique<LowercaseNormalizer>(); }

NormalizerPtr make_normalizer_sequence(std::vector<NormalizerPtr> steps) {
  return std::make_unique<NormalizerSequence>(std::move(steps));
}

}  // namespace llm
