// Unicode's normal forms: one spelling for texts that look the same ("é" as one character or as "e" and an
// accent).
#pragma once

#include <string>
#include <string_view>

namespace llm {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

// The text in the given form (Unicode Standard Annex 15). Characters that the tokenizers library's normalizer
// does not know (they are younger than Unicode 9) pass unchanged, as there. Text that is already normal is
// only scanned.
std::string normalize_unicode(std::string_view text, NormalForm form);

// Makes the form's table, which normalize_unicode() would make when it is first called.
void prepare_normal_form(NormalForm form);

}  // namespace llm
