// JSON lines: one object a line from the standard input, one answer a line to the standard output.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/function_ref.h"
#include "common/base/types.h"
#include "common/cli/json_writer.h"
#include "common/io/json.h"

namespace llm {

inline constexpr Index kMaxJsonLineBytes = Index{64} << 20;

// Writes the answer to one request into the writer: exactly one JSON value. The request's fields are among
// the declared ones; its place in messages is "line 3".
using JsonLineAnswer = FunctionRef<void(const JsonReader& request, JsonWriter& answer)>;

// Answers every line of `in` in order and flushes after each. A line that cannot be answered - no JSON, no
// object, a field that is not in `fields`, longer than max_bytes, or an Error from `answer` - gives
// {"error": "line 3: ..."} in its place, and the rest are still answered.
// Returns the exit status: 0, or 1 if there was an error.
int serve_json_lines(std::istream& in, std::ostream& out, std::span<const std::string_view> fields,
                     JsonLineAnswer answer, Index max_bytes = kMaxJsonLineBytes);

// A field of the object. Errors: kUsage unless every key is one of `fields`; names the nearest.
void expect_fields(const JsonReader& object, std::span<const std::string_view> fields);

// Rows of token ids, [[1,2],[3]]: at least one row, each with at least one id in [0, vocab_size).
// A single row may be written without the outer brackets. Errors: kFormat, kRange with row and column.
std::vector<std::vector<Token>> read_token_rows(const JsonReader& value, Index vocab_size);

// The same with all rows of one length. Errors: kShape too.
std::vector<std::vector<Token>> read_input_ids(const JsonReader& value, Index vocab_size);

// Zeros and ones in the shape of `input_ids`, zeros only on the left and at least one 1 a row.
// Errors: kFormat, kShape, kUnsupported for padding elsewhere.
std::vector<std::vector<std::uint8_t>> read_attention_mask(const JsonReader& value,
                                                           std::span<const std::vector<Token>> input_ids);

// Rows of `columns` numbers each, one row or more; the strings "-inf", "inf" and "nan" count as numbers.
// Errors: kFormat, kShape. columns 0: as many as the first row has, at least one.
std::vector<std::vector<float>> read_scores(const JsonReader& value, Index columns = 0);

}  // namespace llm
