#include "serve/live/live_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "api/embedding/embedder.hpp"
#include "api/heads/fill_mask.hpp"
#include "api/inspection/input_tables.hpp"
#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "lab/explorer/adds_three_tables.hpp"
#include "lab/probing/watch.hpp"
#include "lab/subject/table_of.hpp"
#include "model/composition.hpp"
#include "model/heads.hpp"
#include "model/position.hpp"
#include "serve/live/built_in_sentences.hpp"
#include "serve/live/changed_input.hpp"
#include "serve/live/look_json.hpp"
#include "serve/live/recent.hpp"
#include "serve/live/sum_reader.hpp"

namespace summand::serve::live {

namespace {

using lab::Table;
using Vectors = Matrix<float>;  // [texts, width]
using Watch = lab::Watch<float>;

constexpr size_t kFillings = 5;
constexpr size_t kKeptTexts = 8;
constexpr size_t kKeptLists = 4;

TextView text_of(const LookRequest& request) {
  return request.text_pair ? TextView(request.text, *request.text_pair) : TextView(request.text);
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, of_a = 0, of_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * double{b[i]};
    of_a += double{a[i]} * double{a[i]};
    of_b += double{b[i]} * double{b[i]};
  }
  return of_a > 0 && of_b > 0 ? dot / std::sqrt(of_a * of_b) : 0;
}

void require_range(const char* name, double value) {
  if (value >= 0 && value <= kMostStrength) return;
  throw UsageError(name, fmt::format("expected a number from 0 to {}, got {}", kMostStrength, value));
}

void require_length(const char* name, const std::string& text) {
  if (text.size() <= kLongestText) return;
  throw UsageError(name, fmt::format("expected at most {} bytes, got {}", kLongestText, text.size()));
}

void require_index(const char* name, size_t index, size_t count) {
  if (index < count) return;
  throw UsageError(name, fmt::format("expected 1 to {}, got {}", count, index + 1));
}

bool is_identity(const std::vector<int32_t>& order) {
  for (size_t t = 0; t < order.size(); ++t) {
    if (order[t] != static_cast<int32_t>(t)) return false;
  }
  return true;
}

/// @throws UsageError unless each position is taken once
void require_order(const std::vector<int32_t>& order, size_t tokens) {
  if (order.empty()) return;
  if (order.size() != tokens) {
    throw UsageError("order", fmt::format("expected {} positions, one for each token, got {}", tokens, order.size()));
  }
  std::vector<char> taken(tokens);
  for (const int32_t position : order) {
    if (position < 0 || static_cast<size_t>(position) >= tokens) {
      throw UsageError("order", fmt::format("expected positions from 0 to {}, got {}", tokens - 1, position));
    }
    if (std::exchange(taken[static_cast<size_t>(position)], 1) != 0) {
      throw UsageError("order", fmt::format("expected each position once, got {} twice", position));
    }
  }
}

/// Whether a request changes anything of the input.
bool changes(const LookRequest& request) {
  const auto& [token, position, segment] = request.strengths;
  return token != 1 || position != 1 || segment != 1 || request.noise > 0 || !is_identity(request.order);
}

}  // namespace

struct LiveModel::State {
  State(lab::Subject subject, int threads);

  void check(const LookRequest& request) const;
  /// @throws TextError, UsageError
  [[nodiscard]] text::Encoding encode(const LookRequest& request) const;
  [[nodiscard]] std::vector<float> vector(const LookRequest& request, const ChangedInput* change) const;
  [[nodiscard]] std::vector<float> unchanged_vector(const LookRequest& request) const;
  /// Of sentences, by the unchanged model.
  [[nodiscard]] Vectors vectors(const std::vector<std::string>& sentences) const;
  void add_tokens(const LookRequest& request, const text::Encoding& encoding, const ChangedInput& input,
                  Look& look) const;
  void add_attention(const LookRequest& request, const model::Batch& batch, const ChangedInput& input,
                     Look& look) const;
  void add_scores(const LookRequest& request, const ChangedInput& input, Look& look) const;
  void add_masks(const text::Encoding& encoding, const model::Batch& batch, const ChangedInput& input,
                 Look& look) const;
  void add_neighbours(const LookRequest& request, const ChangedInput& input, Look& look) const;
  [[nodiscard]] std::vector<std::vector<Filling>> fillings(const text::Encoding& encoding, const model::Batch& batch,
                                                           const std::vector<size_t>& masks,
                                                           const ChangedInput* input) const;
  [[nodiscard]] EmbedOptions embed_options() const { return {.length = {.max_length = facts.limit}, .prompt = ""}; }
  [[nodiscard]] const engine::Engine& engine() const { return subject.model->engine(); }

  lab::Subject subject;
  int threads;
  api::InputTables tables;
  LiveFacts facts;
  std::optional<SumReader> reader;  // of a model that adds three tables, as below
  std::optional<lab::FirstLogits> logits;
  std::optional<lab::FirstNorm> norm;
  mutable Recent<std::pair<std::string, std::optional<std::string>>, std::vector<float>> texts{kKeptTexts};
  mutable Recent<std::vector<std::string>, Vectors> lists{kKeptLists};
};

namespace {

/// Whether the model makes sentence vectors: its dense layers may take another width.
bool makes_vectors(const api::LoadedModel& model) {
  try {
    return api::Embedder(model, {}).width() > 0;
  } catch (const Error&) {
    return false;
  }
}

LiveFacts facts_of(const lab::Subject& subject, const api::InputTables& tables) {
  const auto& model = *subject.model;
  const auto& config = model.config();
  LiveFacts facts{.name = subject.name,
                  .layers = static_cast<size_t>(config.num_hidden_layers),
                  .heads = static_cast<size_t>(config.num_attention_heads),
                  .hidden = static_cast<size_t>(config.hidden_size),
                  .limit = std::min({kMostTokens, model.position_limit(), model.sentence_limit()}),
                  .mask_token = {},
                  .unknown_token = {},
                  .takes_pairs = config.type_vocab_size > 1,
                  .has_vectors = makes_vectors(model),
                  .adds_three_tables = lab::adds_three_tables(subject),
                  .composition = std::string(model::name_of(config.composition)),
                  .formula = std::string(model::formula_of(config.composition))};
  const auto mask = model.tokenizer().mask_id();
  if (mask && model.checkpoint().parts.has(Head::masked_language)) {
    facts.mask_token = model.tokenizer().token(*mask);
  }
  if (const auto unknown = model.tokenizer().unk_id()) facts.unknown_token = model.tokenizer().token(*unknown);
  facts.token = !tables.joint.has_value();
  facts.position = facts.token && !std::holds_alternative<model::NoPositions>(config.position);
  facts.segment = facts.token && config.segment == model::SegmentKind::learned && tables.segment.rows() > 1;
  return facts;
}

}  // namespace

LiveModel::State::State(lab::Subject taken, int most_threads)
    : subject(std::move(taken)),
      threads(most_threads > 0 ? most_threads : available_threads()),
      tables(api::input_tables(*subject.model)),
      facts(facts_of(subject, tables)) {
  if (!facts.adds_three_tables) return;
  // Of the positions those that a text here can take: eight times fewer than BERT's, or the page would have to wait.
  const auto positions = std::min(static_cast<Eigen::Index>(facts.limit), subject.positions.rows());
  reader.emplace(subject.tokens, subject.positions.topRows(positions), subject.segments);
  norm = lab::first_norm(subject);
  if (facts.layers > 0) logits.emplace(subject);
  subject.tokens.resize(0, 0);  // both have what they need of it
}

void LiveModel::State::check(const LookRequest& request) const {
  require_length("text", request.text);
  if (request.text_pair) {
    require_length("pair", *request.text_pair);
    if (!facts.takes_pairs) throw UsageError("pair", "expected a single text: this model has one segment");
  }
  const auto check_strength = [](const char* name, double value, bool can_change) {
    require_range(name, value);
    if (value != 1 && !can_change) {
      throw UsageError(name, fmt::format("expected 1, got {}: this model has no such part to change", value));
    }
  };
  check_strength("strengths.token", request.strengths.token, facts.token);
  check_strength("strengths.position", request.strengths.position, facts.position);
  check_strength("strengths.segment", request.strengths.segment, facts.segment);
  require_range("noise", request.noise);
  if (request.layer) require_index("attention.layer", *request.layer, facts.layers);
  if (request.head) require_index("attention.head", *request.head, facts.heads);
  if (request.scores == ScoresOf::head) require_index("scores", request.scores_head, facts.heads);
  if (!request.sentences) return;
  if (request.sentences->size() > kMostSentences) {
    throw UsageError("sentences",
                     fmt::format("expected at most {}, got {}", kMostSentences, request.sentences->size()));
  }
  for (const auto& sentence : *request.sentences) require_length("sentences", sentence);
}

text::Encoding LiveModel::State::encode(const LookRequest& request) const {
  const auto encoding = subject.model->encode(text_of(request), {.max_length = facts.limit}, facts.limit);
  if (encoding.ids.empty()) throw TextError("text", "expected a text with a token, got none");
  require_order(request.order, encoding.ids.size());
  return encoding;
}

std::vector<float> LiveModel::State::vector(const LookRequest& request, const ChangedInput* change) const {
  EmbedOptions options = embed_options();
  if (change != nullptr && !change->points().empty()) {
    options.taps = {.points = change->points(), .visit = [&](const Taps::Site& site, MatrixView<float> values) {
                      change->replace(site.point, values);
                    }};
  }
  const api::Embedder embedder(*subject.model, options);
  const std::vector<TextView> list{text_of(request)};
  api::RecordBatches batches(*subject.model, list, embedder.reading(api::kBatchTokens));
  auto read = batches.next().value();
  if (change != nullptr && !request.order.empty()) read.batch.positions = request.order;
  const auto made = embedder.vectors(read);
  const auto row = made.vectors.row(0);
  return {row.begin(), row.end()};
}

std::vector<float> LiveModel::State::unchanged_vector(const LookRequest& request) const {
  return *texts.find_or({request.text, request.text_pair}, [&] { return vector(request, nullptr); });
}

Vectors LiveModel::State::vectors(const std::vector<std::string>& sentences) const {
  return api::Embedder(*subject.model, embed_options()).embed(sentences).vectors;
}

void LiveModel::State::add_tokens(const LookRequest& request, const text::Encoding& encoding, const ChangedInput& input,
                                  Look& look) const {
  const auto& tokenizer = subject.model->tokenizer();
  std::vector<lab::SumItem> items;
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    look.tokens.push_back({.id = encoding.ids[t],
                           .token = std::string(tokenizer.token(encoding.ids[t])),
                           .position = request.order.empty() ? static_cast<int32_t>(t) : request.order[t],
                           .segment = encoding.segments[t],
                           .special = encoding.special[t] != 0,
                           .second = t >= encoding.second.begin && t < encoding.second.end,
                           .bytes = encoding.offsets[t],
                           .parts = input.parts(t)});
    const auto& token = look.tokens.back();
    items.push_back({.token = token.id, .position = token.position, .segment = token.segment});
  }
  if (!reader) return;
  const auto decoded = reader->read(input.sums(), items, threads);
  for (size_t t = 0; t < decoded.size(); ++t) {
    look.tokens[t].read_back = decoded[t];
    look.tokens[t].other_token = tokenizer.token(static_cast<int32_t>(decoded[t].other.token));
  }
}

void LiveModel::State::add_attention(const LookRequest& request, const model::Batch& batch, const ChangedInput& input,
                                     Look& look) const {
  look.layers = request.layer ? 1 : facts.layers;
  look.heads = request.head ? 1 : facts.heads;
  if (facts.layers == 0) return;
  auto points = input.points();
  points.push_back(TapPoint::attention);
  Watch watch(std::move(points), [&](const model::TapSite& site, MatrixView<float> values) {
    if (site.point != TapPoint::attention) return input.replace(site.point, values);
    const bool wanted =
        site.layer == request.layer.value_or(site.layer) && site.head == request.head.value_or(site.head);
    if (wanted) look.attention.push_back(lab::table_of(values));
  });
  (void)engine().run(batch, {.hidden_states = {request.layer.value_or(facts.layers - 1) + 1},
                             .on_text = [](size_t, const engine::TextResult&) {},
                             .taps = &watch});
}

void LiveModel::State::add_scores(const LookRequest& request, const ChangedInput& input, Look& look) const {
  if (!logits || request.scores == ScoresOf::none) return;
  const auto parts = input.normalised_parts(*norm);
  if (request.scores == ScoresOf::head) {
    look.scores = logits->terms(parts, request.scores_head);
    return;
  }
  look.scores = logits->terms(parts, 0);
  for (size_t head = 1; head < facts.heads; ++head) {
    const auto of_head = logits->terms(parts, head);
    for (size_t q = 0; q < lab::kLogitParts; ++q) {
      for (size_t k = 0; k < lab::kLogitParts; ++k) look.scores->of[q][k] += of_head.of[q][k];
    }
  }
  for (auto& row : look.scores->of) {
    for (auto& term : row) term /= static_cast<double>(facts.heads);
  }
}

std::vector<std::vector<Filling>> LiveModel::State::fillings(const text::Encoding& encoding, const model::Batch& batch,
                                                             const std::vector<size_t>& masks,
                                                             const ChangedInput* input) const {
  std::vector<std::vector<Filling>> filled;
  const auto fill = [&](size_t, const engine::TextResult& result) {
    for (size_t i = 0; i < masks.size(); ++i) {
      filled.push_back(
          api::best_fillings(subject.model->tokenizer(), encoding, masks[i], result.logits.row(i), {.top = kFillings}));
    }
  };
  const bool replaces = input != nullptr && !input->points().empty();
  Watch watch(replaces ? input->points() : std::vector<TapPoint>(),
              [&](const model::TapSite& site, MatrixView<float> values) { input->replace(site.point, values); });
  (void)engine().run(
      batch, {.head = Head::masked_language, .masked = masks, .on_text = fill, .taps = replaces ? &watch : nullptr});
  return filled;
}

void LiveModel::State::add_masks(const text::Encoding& encoding, const model::Batch& batch, const ChangedInput& input,
                                 Look& look) const {
  if (facts.mask_token.empty()) return;
  std::vector<size_t> masks;
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    if (encoding.ids[t] == *subject.model->tokenizer().mask_id()) masks.push_back(t);
  }
  if (masks.empty()) return;
  model::Batch unchanged;
  unchanged.add(encoding.ids, encoding.segments);
  const auto before = fillings(encoding, unchanged, masks, nullptr);
  const auto after = look.changed ? fillings(encoding, batch, masks, &input) : before;
  for (size_t i = 0; i < masks.size(); ++i) {
    look.masks.push_back({.token = masks[i], .fillings = after[i], .unchanged = before[i]});
  }
}

void LiveModel::State::add_neighbours(const LookRequest& request, const ChangedInput& input, Look& look) const {
  if (!facts.has_vectors) return;
  const auto before = unchanged_vector(request);
  look.vector = look.changed ? vector(request, &input) : before;
  look.cosine = look.changed ? cosine(look.vector, before) : 1;
  const auto built_in = built_in_sentences();
  look.sentences = request.sentences.value_or(std::vector<std::string>(built_in.begin(), built_in.end()));
  const auto others = lists.find_or(look.sentences, [&] { return vectors(look.sentences); });
  for (size_t i = 0; i < look.sentences.size(); ++i) {
    look.neighbours.push_back(
        {.sentence = i, .cosine = cosine(look.vector, others->row(i)), .unchanged = cosine(before, others->row(i))});
  }
  std::ranges::stable_sort(look.neighbours, std::greater(), &LookNeighbour::cosine);
}

LiveModel LiveModel::load(const std::string& model, int threads) {
  return LiveModel(lab::load_subject(model, std::nullopt, threads), threads);
}

LiveModel::LiveModel(lab::Subject subject, int threads)
    : state_(std::make_unique<const State>(std::move(subject), threads)) {}
LiveModel::LiveModel(LiveModel&&) noexcept = default;
LiveModel& LiveModel::operator=(LiveModel&&) noexcept = default;
LiveModel::~LiveModel() = default;

const std::string& LiveModel::name() const {
  return state_->facts.name;
}

size_t LiveModel::limit() const {
  return state_->facts.limit;
}

std::string LiveModel::describe() const {
  return to_json(state_->facts);
}

Look LiveModel::look(const LookRequest& request) const {
  const auto& state = *state_;
  state.check(request);
  const auto encoding = state.encode(request);
  model::Batch batch;
  batch.add(encoding.ids, encoding.segments);
  if (!request.order.empty()) batch.positions = request.order;
  model::check(batch, state.subject.model->config());
  const ChangedInput input(state.tables, encoding, request);
  Look look{.cut = encoding.cut, .changed = changes(request)};
  state.add_tokens(request, encoding, input, look);
  state.add_attention(request, batch, input, look);
  state.add_scores(request, input, look);
  state.add_masks(encoding, batch, input, look);
  state.add_neighbours(request, input, look);
  return look;
}

std::string LiveModel::look(std::string_view request_json) const {
  const auto request = look_request(request_json);
  return to_json(look(request), request);
}

}  // namespace summand::serve::live
