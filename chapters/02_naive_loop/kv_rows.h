// The one place where attention meets the formats that a cache may keep its keys and values in.
#pragma once

#include "chapters/02_naive_loop/buffer.h"
#include "common/seams/kv_block.h"

namespace llm {

// Keys or values [first, first + count) of one head as float32, [count, Dh]. What is float32 is looked at
// where it lies; any other format is turned into float32 in `scratch`, which the result then lives in.
// Errors: kUnsupported for another device.
View<const float, 2> kv_rows(const KvView& view, Index head, Index first, Index count, Index head_dim,
                             Buffer& scratch);

// Float32 keys or values that lie one token behind the other, [N, KH, Dh], as attention reads them.
KvView kv_view(View<const float, 3> values);

}  // namespace llm
