#include "tests/02_naive_loop/random_model.h"

#include <cmath>
#include <complex>
#include <limits>

#include "chapters/02_naive_loop/write_safetensors.h"
#include "common/base/rng.h"
#include "common/config/tensor_specs.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

// One weight matrix or vector by name; a matrix knows its shape from the number of columns asked for.
class Weights {
 public:
  explicit Weights(const WeightMap& weights) : weights_(weights) {}
  bool has(const std::string& name) const { return weights_.contains(name); }
  double at(const std::string& name, std::size_t i) const { return weights_.at(name)[i]; }
  std::size_t size(const std::string& name) const { return weights_.at(name).size(); }

  Row linear(const std::string& name, const Row& x) const {
    Row y(size(name + ".weight") / x.size(), 0.0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += at(name + ".weight", i * x.size() + j) * x[j];
      if (has(name + ".bias")) y[i] += at(name + ".bias", i);
    }
    return y;
  }

  Row norm(const std::string& name, const Row& x, double eps) const {
    double sum = 0;
    for (const double v : x) sum += v * v;
    Row y = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = x[i] / std::sqrt(sum / static_cast<double>(x.size()) + eps) * at(name, i);
    return y;
  }

 private:
  const WeightMap& weights_;
};

// Head h of a row of heads, normalised if the model does that, turned as complex numbers.
Row head_of(const Row& row, std::size_t h, std::size_t Dh, std::size_t position, const ModelConfig& config,
            const Weights& weights, const std::string& norm) {
  Row head(row.begin() + static_cast<std::ptrdiff_t>(h * Dh),
           row.begin() + static_cast<std::ptrdiff_t>((h + 1) * Dh));
  if (weights.has(norm)) head = weights.norm(norm, head, config.rms_norm_eps);
  for (std::size_t i = 0; i < Dh / 2; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(Dh);
    const double angle =
        static_cast<double>(position) * std::pow(config.rope_parameters.rope_theta, exponent);
    const std::complex<double> turned = std::complex(head[i], head[i + Dh / 2]) * std::polar(1.0, angle);
    head[i] = turned.real();
    head[i + Dh / 2] = turned.imag();
  }
  return head;
}

Row softmax(const Row& scores) {
  double sum = 0;
  for (const double s : scores) sum += std::exp(s);
  Row p;
  for (const double s : scores) p.push_back(std::exp(s) / sum);
  return p;
}

void add(Row& to, const Row& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

// The attention block over all T rows at once.
Matrix attention_block(const ModelConfig& c, const Weights& w, const std::string& p, Index layer,
                       const Matrix& x) {
  const auto T = x.size(), Dh = static_cast<std::size_t>(c.head_dim);
  const auto H = static_cast<std::size_t>(c.num_attention_heads);
  const std::size_t G = H / static_cast<std::size_t>(c.num_key_value_heads);
  Matrix q, k, v, out;
  for (const Row& row : x) {
    q.push_back(w.linear(p + "q_proj", row));
    k.push_back(w.linear(p + "k_proj", row));
    v.push_back(w.linear(p + "v_proj", row));
  }
  for (std::size_t t = 0; t < T; ++t) {
    Row heads(H * Dh, 0.0);
    for (std::size_t h = 0; h < H; ++h) {
      const Row query = head_of(q[t], h, Dh, t, c, w, p + "q_norm.weight");
      Row scores(T, -std::numeric_limits<double>::infinity());
      for (std::size_t s = 0; s < T; ++s) {
        const bool future = s > t;
        const bool forgotten =
            c.window(layer) && static_cast<Index>(t) - static_cast<Index>(s) >= *c.window(layer);
        if (future || forgotten) continue;
        const Row key = head_of(k[s], h / G, Dh, s, c, w, p + "k_norm.weight");
        scores[s] = 0;
        for (std::size_t d = 0; d < Dh; ++d)
          scores[s] += query[d] * key[d] / std::sqrt(static_cast<double>(Dh));
      }
      const Row weights = softmax(scores);
      for (std::size_t s = 0; s < T; ++s)
        for (std::size_t d = 0; d < Dh; ++d) heads[h * Dh + d] += weights[s] * v[s][h / G * Dh + d];
    }
    out.push_back(w.linear(p + "o_proj", heads));
  }
  return out;
}

}  // namespace

ModelConfig awkward_config(const std::string& model_type) {
  ModelConfig config;
  config.model_type = model_type;
  config.vocab_size = 37;
  config.hidden_size = 20;
  config.intermediate_size = 23;
  config.num_hidden_layers = 3;
  config.num_attention_heads = 6;
  config.num_key_value_heads = 2;
  config.head_dim = 6;
  config.max_position_embeddings = 500;
  config.layer_types.assign(3, LayerType::kFullAttention);
  return config;
}

WeightMap random_weights(const ModelConfig& config, std::uint64_t seed) {
  WeightMap weights;
  std::uint32_t number = 0;
  for (const TensorSpec& spec : tensor_specs(config)) {
    const bool matrix = spec.shape.size() == 2;
    const double scale = matrix ? 2.0 / std::sqrt(static_cast<double>(spec.shape[1])) : 0.5;
    const Index size = matrix ? spec.shape[0] * spec.shape[1] : spec.shape[0];
    std::vector<float>& values = weights[spec.name];
    for (Index i = 0; i < size; ++i) {
      const RngKey key{.seed = seed, .sequence = number, .purpose = RngPurpose::kTest};
      const double u = 2 * uniform(key, static_cast<std::uint32_t>(i)) - 1;
      values.push_back(static_cast<float>(matrix ? u * scale : 0.5 + u * scale));
    }
    ++number;
  }
  return weights;
}

std::shared_ptr<Checkpoint> to_checkpoint(const ModelConfig& config, const WeightMap& weights) {
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& spec : tensor_specs(config))
    if (weights.contains(spec.name)) tensors.push_back({spec.name, spec.shape, weights.at(spec.name)});
  const TempFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, tensors);
  return Checkpoint::open(path);  // stays mapped when the file is gone
}

std::vector<float> oracle_logits(const ModelConfig& config, const WeightMap& map,
                                 const std::vector<Token>& ids) {
  const Weights w(map);
  const auto D = static_cast<std::size_t>(config.hidden_size);
  Matrix hidden;
  for (const Token id : ids) {
    Row& row = hidden.emplace_back();
    for (std::size_t d = 0; d < D; ++d)
      row.push_back(w.at("model.embed_tokens.weight", static_cast<std::size_t>(id) * D + d));
  }
  for (Index l = 0; l < config.num_hidden_layers; ++l) {
    const std::string p = "model.layers." + std::to_string(l) + ".";
    Matrix normed;
    for (const Row& row : hidden)
      normed.push_back(w.norm(p + "input_layernorm.weight", row, config.rms_norm_eps));
    const Matrix attended = attention_block(config, w, p + "self_attn.", l, normed);
    for (std::size_t t = 0; t < hidden.size(); ++t) {
      add(hidden[t], attended[t]);
      const Row x = w.norm(p + "post_attention_layernorm.weight", hidden[t], config.rms_norm_eps);
      Row gate = w.linear(p + "mlp.gate_proj", x);
      const Row up = w.linear(p + "mlp.up_proj", x);
      for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      add(hidden[t], w.linear(p + "mlp.down_proj", gate));
    }
  }
  std::vector<float> logits;
  for (const Row& row : hidden) {
    const Row x = w.norm("model.norm.weight", row, config.rms_norm_eps);
    const std::string head = w.has("lm_head.weight") ? "lm_head" : "model.embed_tokens";
    for (const double score : w.linear(head, x)) logits.push_back(static_cast<float>(score));
  }
  return logits;
}

}  // namespace llm::test
