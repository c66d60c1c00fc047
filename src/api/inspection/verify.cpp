#include "api/inspection/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/matrix.hpp"
#include "base/thread_pool.hpp"
#include "engine/engine.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"
#include "reference/window_encoder.hpp"

namespace summand::api {

namespace {

/// Texts, and the tokens whose masked-language logits are compared.
struct Task {
  const VerifyInput& input;
  const model::Batch& batch;
  std::vector<size_t> masked;                  ///< among the batch's tokens
  std::vector<std::vector<size_t>> masked_of;  ///< among each text's tokens

  [[nodiscard]] size_t layers() const { return static_cast<size_t>(input.config.num_hidden_layers); }
  /// Of a text with so many tokens, those that stand for windows.
  [[nodiscard]] size_t windows_of(size_t tokens) const {
    return std::min(tokens, static_cast<size_t>(input.config.window_encoder.value().most_windows));
  }
};

/// At most 16 tokens of each text, evenly spread.
void choose_masked(Task& task) {
  constexpr size_t kMost = 16;
  for (size_t text = 0; text < task.batch.texts(); ++text) {
    const size_t length = task.batch.length(text);
    auto& of_text = task.masked_of.emplace_back();
    for (size_t i = 0; i < std::min(length, kMost); ++i) {
      of_text.push_back(i * length / std::min(length, kMost));
      task.masked.push_back(task.batch.offsets[text] + of_text.back());
    }
  }
}

std::vector<std::string> state_names(const Task& task) {
  std::vector<std::string> names;
  for (size_t layer = 0; layer <= task.layers(); ++layer) names.push_back(fmt::format("hidden {}", layer));
  if (task.input.engine.has_pooler()) names.emplace_back("pooled");
  for (const auto head : task.input.parts.heads) names.emplace_back(model::name_of(head));
  if (task.input.window_encoder != nullptr) names.emplace_back("window encoder");
  return names;
}

/// @param states  [tokens, hidden], the last ones of all texts
Matrix<float> window_encoder_logits(const Task& task, const Matrix<float>& states) {
  std::vector<float> vectors;
  std::vector<size_t> offsets{0};
  for (size_t text = 0; text < task.batch.texts(); ++text) {
    const size_t windows = task.windows_of(task.batch.length(text));
    for (size_t i = 0; i < windows; ++i) {
      const auto row = states.row(task.batch.offsets[text] + i);
      vectors.insert(vectors.end(), row.begin(), row.end());
    }
    offsets.push_back(offsets.back() + windows);
  }
  const MatrixView<const float> rows(vectors.data(), offsets.back(), states.columns());
  return task.input.window_encoder->logits(rows, offsets);
}

/// @param states  [tokens, hidden], the last ones of a text
template <class Scalar>
Matrix<Scalar> window_encoder_logits(const Task& task, const reference::WindowEncoder<Scalar>& encoder,
                                     const Matrix<Scalar>& states) {
  Matrix<Scalar> vectors(task.windows_of(states.rows()), states.columns());
  for (size_t i = 0; i < vectors.rows(); ++i) std::ranges::copy(states.row(i), vectors.row(i).begin());
  return encoder.logits(vectors);
}

/// Every state over all texts, in the order of state_names().
std::vector<Matrix<float>> engine_states(const Task& task) {
  const auto& engine = task.input.engine;
  std::vector<size_t> layers(task.layers() + 1);
  std::iota(layers.begin(), layers.end(), size_t{0});
  auto states = engine::hidden_states(engine, task.batch, layers);
  if (engine.has_pooler()) states.push_back(engine::pooled_output(engine, task.batch));
  for (const auto head : task.input.parts.heads) {
    const bool masked = head == model::Head::masked_language;
    states.push_back(engine::head_logits(engine, task.batch, head,
                                         masked ? std::span<const size_t>(task.masked) : std::span<const size_t>()));
  }
  if (task.input.window_encoder != nullptr) states.push_back(window_encoder_logits(task, states[task.layers()]));
  return states;
}

/// The states of each text by the reference: [texts][states].
template <class Scalar>
std::vector<std::vector<Matrix<Scalar>>> reference_states(const Task& task) {
  const reference::Bert<Scalar> bert(task.input.config, task.input.weights);
  const reference::Heads<Scalar> heads(task.input.config, task.input.weights);
  std::optional<reference::WindowEncoder<Scalar>> window_encoder;
  if (task.input.window_encoder != nullptr) window_encoder.emplace(task.input.config, task.input.weights);
  std::vector<std::vector<Matrix<Scalar>>> texts(task.batch.texts());
  const auto run = [&](size_t text, int) {
    const auto output = bert.run(task.batch, text);
    auto& states = texts[text];
    states = output.hidden_states;
    if (task.input.engine.has_pooler()) {
      Matrix<Scalar> pooled(1, output.pooled.size());
      std::ranges::copy(output.pooled, pooled.row(0).begin());
      states.push_back(std::move(pooled));
    }
    for (const auto head : task.input.parts.heads) states.push_back(heads.logits(head, output, task.masked_of[text]));
    if (window_encoder) states.push_back(window_encoder_logits(task, *window_encoder, output.hidden_states.back()));
  };
  ThreadPool::shared().run(texts.size(), task.input.engine.threads(), run);
  return texts;
}

/// Makes `largest` at least |one - other|.
void take_difference(double& largest, double one, double other) {
  const double difference = std::abs(one - other);
  largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
}

/// Texts without tokens are left out: nothing is computed of them.
model::Batch batch_of(const LoadedModel& model, const TextList& texts, const LengthOptions& length) {
  model::Batch batch;
  for (const auto& text : texts) {
    const auto encoding = model.encode(text, length, model.position_limit());
    if (!encoding.ids.empty()) batch.add(encoding.ids, encoding.segments);
  }
  return batch;
}

/// The program's own texts; a model without second segments or unknown tokens gets fewer.
model::Batch own_texts(const LoadedModel& model) {
  const auto& config = model.config();
  std::vector<TextView> texts{"The cat sat on the mat."};
  if (config.type_vocab_size > 1) texts.emplace_back("A man went to the store.", "He bought a gallon of milk!");
  if (model.tokenizer().unk_id()) texts.emplace_back("\U00013000 ꙮ? 我喜欢猫 Straße, naïve");
  texts.emplace_back("");
  texts.emplace_back(
      "Grace Hopper finished the first compiler in 1952, when few believed that a computer could write programs; "
      "it took years until others understood what she had done.");
  auto batch = batch_of(model, texts, {});
  const auto last = model.encode(texts[0], {}, model.position_limit());
  const auto first_position = model.position_limit() - last.ids.size();
  batch.add(last.ids, last.segments, static_cast<int32_t>(first_position));
  return batch;
}

}  // namespace

VerifyReport verify(const VerifyInput& input, const model::Batch& batch) {
  Task task{.input = input, .batch = batch, .masked = {}, .masked_of = {}};
  choose_masked(task);
  const auto by_engine = engine_states(task);
  const auto exact = reference_states<double>(task);
  const auto single = reference_states<float>(task);
  VerifyReport report{.texts = batch.texts(), .tokens = batch.tokens(), .states = {}};
  const auto names = state_names(task);
  for (size_t state = 0; state < names.size(); ++state) {
    VerifiedState verified{.name = names[state]};
    const float* of_engine = by_engine[state].elements().data();
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto right = exact[text][state].elements();
      const auto plain = single[text][state].elements();
      for (size_t i = 0; i < right.size(); ++i) {
        take_difference(verified.magnitude, right[i], 0);
        take_difference(verified.reference, plain[i], right[i]);
        take_difference(verified.engine, *of_engine++, right[i]);
      }
    }
    report.states.push_back(std::move(verified));
  }
  return report;
}

VerifyReport verify(const LoadedModel& model, const TextList& texts, const LengthOptions& length) {
  const auto batch = texts.empty() ? own_texts(model) : batch_of(model, texts, length);
  const auto& checkpoint = model.checkpoint();
  return verify({model.engine(), model.config(), checkpoint.weights, checkpoint.parts, model.window_encoder()}, batch);
}

}  // namespace summand::api

namespace summand {

namespace {

std::string number(double value) {
  return fmt::format("{:.1e}", value);
}

}  // namespace

double VerifiedState::allowed() const {
  return std::max(kVerifyTolerance, kVerifyFactor * reference);
}

bool VerifyReport::agrees() const {
  return std::ranges::all_of(states, &VerifiedState::agrees);
}

std::string VerifyReport::verdict() const {
  const auto wrong = std::ranges::find_if_not(states, &VerifiedState::agrees);
  if (wrong != states.end()) {
    return fmt::format("The engine does not agree with the reference: {} differs by {}, allowed {}.", wrong->name,
                       number(wrong->engine), number(wrong->allowed()));
  }
  if (tokens == 0) return "There was no token to compare.";
  const auto largest = std::ranges::max_element(states, {}, &VerifiedState::engine);
  return fmt::format("The engine agrees with the reference: largest difference {}, allowed {}.",
                     number(largest->engine), number(largest->allowed()));
}

}  // namespace summand
