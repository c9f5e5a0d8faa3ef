// Regular expressions. The only file that knows PCRE2.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <fmt/format.h>

#include <memory>

#include "chapters/01_tokenizer/matcher.h"
#include "chapters/01_tokenizer/pattern_syntax.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Code = std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Deleter<pcre2_compile_context_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Deleter<pcre2_jit_stack_free>>;

constexpr std::size_t kJitStackBytes = 1 << 20, kMaxJitStackBytes = 1 << 28;

std::string error_text(int code) {
  PCRE2_UCHAR text[200];
  return pcre2_get_error_message(code, text, sizeof text) < 0 ? "" : reinterpret_cast<const char*>(text);
}

class RegexMatcher final : public Matcher {
 public:
  RegexMatcher(std::string_view pattern, const std::string& where) : where_(where) {
    const std::string translated = to_pcre2_syntax(pattern, where);
    const CompileContext context(pcre2_compile_context_create(nullptr));
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    PCRE2_SIZE at = 0;
    // In Oniguruma's dialect ^ and $ always mean the beginning and end of a line.
    constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_UTF_CHECK;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(), kOptions,
                              &error, &at, context.get()));
    if (!code_) {
      fail(ErrorCode::kFormat, {.where = where,
                                .what = fmt::format("the regular expression '{}' does not compile:", pattern),
                                .got = error_text(error)});
    }
    pcre2_jit_compile(code_.get(),
                      PCRE2_JIT_COMPLETE);  // where there is no JIT, matching is slower, not wrong
  }

  void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const override {
    if (text.empty()) return;
    const MatchData data(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    const MatchContext context(pcre2_match_context_create(nullptr));
    JitStack stack;
    const auto size = static_cast<Index>(text.size());
    Index last_end = -1;  // of the last match: no empty match may follow it directly
    for (Index from = 0; from <= size;) {
      const int count = search(text, from, data.get(), context.get(), stack);
      if (count == PCRE2_ERROR_NOMATCH) return;
      if (count < 0) {
        fail(ErrorCode::kUnsupported, {.where = where_,
                                       .what = "the regular expression gave up on this text:",
                                       .got = error_text(count)});
      }
      const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data.get());
      const auto begin = static_cast<Index>(offsets[0]), end = static_cast<Index>(offsets[1]);
      if (begin == end && end == last_end) {
        if (from >= size) return;
        from += decode_code_point(text, from).length;
        continue;
      }
      from = last_end = end;
      found(begin, end);
    }
  }

 private:
  // A long match of a nested repetition can need more stack than the JIT's own 32 KiB: made when it happens.
  int search(std::string_view text, Index from, pcre2_match_data* data, pcre2_match_context* context,
             JitStack& stack) const {
    const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    const auto start = static_cast<PCRE2_SIZE>(from);
    int count = pcre2_match(code_.get(), subject, text.size(), start, PCRE2_NO_UTF_CHECK, data, context);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT && !stack) {
      stack.reset(pcre2_jit_stack_create(kJitStackBytes, kMaxJitStackBytes, nullptr));
      pcre2_jit_stack_assign(context, nullptr, stack.get());
      count = pcre2_match(code_.get(), subject, text.size(), start, PCRE2_NO_UTF_CHECK, data, context);
    }
    return count;
  }

  std::string where_;
  Code code_;
};

}  // namespace

std::unique_ptr<Matcher> make_regex_matcher(std::string_view pattern, const std::string& where) {
  return std::make_unique<RegexMatcher>(pattern, where);
}

}  // namespace llm
