#include "chapters/01_tokenizer/decoder.h"

#include <algorithm>
#include <cctype>

#include "chapters/01_tokenizer/byte_map.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// A step that looks at each token for itself.
template <class Function>
class PerToken final : public DecoderStream {
 public:
  explicit PerToken(Function function) : function_(std::move(function)) {}
  void put(std::string token, EmitText emit) override { emit(function_(std::move(token))); }

 private:
  Function function_;
};

// A step that must see a joined token as a whole: waits until the end.
template <class Function>
class AtTheEnd final : public DecoderStream {
 public:
  explicit AtTheEnd(Function function) : function_(std::move(function)) {}
  void put(std::string token, EmitText) override { text_ += token; }
  void end(EmitText emit) override { emit(function_(std::move(text_))); }

 private:
  Function function_;
  std::string text_;
};

template <class Function>
std::unique_ptr<DecoderStream> per_token(bool wait, Function function) {
  if (wait) return std::make_unique<AtTheEnd<Function>>(std::move(function));
  return std::make_unique<PerToken<Function>>(std::move(function));
}

// Bytes to text: finished characters go on at once, bytes of an unfinished one wait for the rest.
class Utf8Stream final : public DecoderStream {
 public:
  // --8<-- [start:ex01-9]
  void put(std::string token, EmitText emit) override {
    bytes_ += characters_to_bytes(token).value_or(token);
    const std::size_t ready = bytes_.size() - static_cast<std::size_t>(incomplete_suffix_length(bytes_));
    emit(from_utf8_lossy(std::string_view(bytes_).substr(0, ready)));
    bytes_.erase(0, ready);
  }

  void end(EmitText emit) override { emit(from_utf8_lossy(bytes_)); }
  // --8<-- [end:ex01-9]

 private:
  std::string bytes_;
};

class ByteLevelDecoder final : public Decoder {
 public:
  std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const override {
    if (!options.fused) return std::make_unique<Utf8Stream>();
    return per_token(
        true, [](std::string text) { return from_utf8_lossy(characters_to_bytes(text).value_or(text)); });
  }
  bool fuses() const override { return true; }
  std::string token_bytes(std::string token) const override {
    return characters_to_bytes(token).value_or(token);
  }
};

// The byte of a token such as <0x0A>.
std::optional<char> fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  int value = 0;
  for (const char digit : token.substr(3, 2)) {
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return std::nullopt;
    value = value * 16 + (digit <= '9' ? digit - '0' : std::tolower(digit) - 'a' + 10);
  }
  return static_cast<char>(value);
}

class ByteFallbackStream final : public DecoderStream {
 public:
  explicit ByteFallbackStream(bool eager) : eager_(eager) {}

  void put(std::string token, EmitText emit) override {
    const auto byte = fallback_byte(token);
    if (!byte) {
      end(emit);
      return emit(std::move(token));
    }
    run_.push_back(*byte);
    if (eager_ && is_valid_utf8(run_)) end(emit);
  }

  void end(EmitText emit) override {
    if (run_.empty()) return;
    if (is_valid_utf8(run_)) {
      emit(run_);
    } else {
      for (std::size_t i = 0; i < run_.size(); ++i) emit("\uFFFD");
    }
    run_.clear();
  }

 private:
  bool eager_;
  std::string run_;
};

class ByteFallbackDecoder final : public Decoder {
 public:
  std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const override {
    if (!options.fused) return std::make_unique<ByteFallbackStream>(options.eager);
    return per_token(true, [](std::string text) {
      const auto byte = fallback_byte(text);
      return byte ? from_utf8_lossy(std::string(1, *byte)) : text;
    });
  }
  std::string token_bytes(std::string token) const override {
    const auto byte = fallback_byte(token);
    return byte ? std::string(1, *byte) : token;
  }
};

class FuseDecoder final : public Decoder {
 public:
  std::unique_ptr<DecoderStream> stream(const StreamOptions&) const override {
    return per_token(false, [](std::string token) { return token; });
  }
  bool fuses() const override { return true; }
};

class ReplaceDecoder final : public Decoder {
 public:
  ReplaceDecoder(std::shared_ptr<const Matcher> what, std::string by, bool per_character)
      : what_(std::move(what)), by_(std::move(by)), per_character_(per_character) {}

  std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const override {
    // A single character is found in any piece; a longer pattern may lie across two.
    return per_token(options.fused && !per_character_, [this](std::string token) { return replace(token); });
  }
  std::string token_bytes(std::string token) const override { return replace(token); }

 private:
  std::string replace(const std::string& token) const {
    std::string text;
    Index done = 0;
    what_->for_each_match(token, [&](Index begin, Index end) {
      text.append(token, done, begin - done).append(by_);
      done = end;
    });
    return text.append(token, done);
  }

  std::shared_ptr<const Matcher> what_;
  std::string by_;
  bool per_character_;
};

// Removes up to `start` of a character at the beginning and up to `stop` at the end.
std::u32string strip(std::u32string text, char32_t content, Index start, Index stop) {
  Index begin = 0;
  auto end = static_cast<Index>(text.size());
  while (begin < end && begin < start && text[begin] == content) ++begin;
  for (Index cut = 0; cut < stop && end > begin && text[end - 1] == content; ++cut) --end;
  return text.substr(begin, end - begin);
}

// Strip on one joined token: the beginning is counted down, possible ends are held back.
class StripStream final : public DecoderStream {
 public:
  StripStream(char32_t content, Index start, Index stop)
      : content_(content), start_left_(start), stop_(stop) {}

  void put(std::string token, EmitText emit) override {
    for (const char32_t c : decode_utf8(token)) {
      if (start_left_ > 0 && c == content_) {
        --start_left_;
        continue;
      }
      start_left_ = 0;
      held_ += c;
    }
    Index keep = 0;
    while (keep < stop_ && keep < held() && held_[held_.size() - 1 - keep] == content_) ++keep;
    emit(encode_utf8(held_.substr(0, held_.size() - keep)));
    held_.erase(0, held_.size() - keep);
  }
  void end(EmitText emit) override { emit(encode_utf8(strip(held_, content_, 0, stop_))); }

 private:
  Index held() const { return static_cast<Index>(held_.size()); }

  char32_t content_;
  Index start_left_, stop_;
  std::u32string held_;
};

class StripDecoder final : public Decoder {
 public:
  StripDecoder(char32_t content, Index start, Index stop) : content_(content), start_(start), stop_(stop) {}

  std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const override {
    if (options.fused) return std::make_unique<StripStream>(content_, start_, stop_);
    return per_token(false, [this](std::string token) {
      return encode_utf8(strip(decode_utf8(token), content_, start_, stop_));
    });
  }

 private:
  char32_t content_;
  Index start_, stop_;
};

class MetaspaceStream final : public DecoderStream {
 public:
  MetaspaceStream(std::string_view replacement, bool drop_first, bool fused)
      : replacement_(replacement), dropping_(drop_first), fused_(fused) {}

  void put(std::string token, EmitText emit) override {
    std::string text;
    for (std::size_t at = 0; at < token.size();) {
      if (std::string_view(token).substr(at).starts_with(replacement_)) {
        if (!dropping_) text += ' ';
        at += replacement_.size();
      } else {
        text += token[at++];
      }
    }
    if (!fused_) dropping_ = false;  // only the first token's are dropped
    emit(std::move(text));
  }

 private:
  std::string_view replacement_;
  bool dropping_, fused_;
};

class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(std::string replacement, PrependScheme prepend)
      : replacement_(std::move(replacement)), prepend_(prepend) {}

  std::unique_ptr<DecoderStream> stream(const StreamOptions& options) const override {
    return std::make_unique<MetaspaceStream>(replacement_, prepend_ != PrependScheme::kNever, options.fused);
  }
  std::string token_bytes(std::string token) const override {
    std::string text;
    MetaspaceStream(replacement_, false, false).put(std::move(token), [&](std::string t) {
      text = std::move(t);
    });
    return text;
  }

 private:
  std::string replacement_;
  PrependScheme prepend_;
};

}  // namespace

DecoderPtr make_byte_level_decoder() { return std::make_unique<ByteLevelDecoder>(); }
DecoderPtr make_byte_fallback_decoder() { return std::make_unique<ByteFallbackDecoder>(); }
DecoderPtr make_fuse_decoder() { return std::make_unique<FuseDecoder>(); }

DecoderPtr make_replace_decoder(std::shared_ptr<const Matcher> what, std::string by, bool per_character) {
  return std::make_unique<ReplaceDecoder>(std::move(what), std::move(by), per_character);
}

DecoderPtr make_strip_decoder(char32_t content, Index start, Index stop) {
  return std::make_unique<StripDecoder>(content, start, stop);
}

DecoderPtr make_metaspace_decoder(std::string replacement, PrependScheme prepend) {
  return std::make_unique<MetaspaceDecoder>(std::move(replacement), prepend);
}

}  // namespace llm
