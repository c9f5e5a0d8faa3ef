// Names of tensors: GGUF's and Hugging Face's.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; a name that is not known stays as it is.
std::string hugging_face_name(std::string_view gguf_name);

}  // namespace llm
