#include "train/tasks/combined_task.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace summand::train {

namespace {

constexpr double kTopicSharpness = 1.2, kSlotSharpness = 2.5, kMarkSharpness = 4;
constexpr double kStep = 0.95;           // probability that a slot is followed by its neighbour
constexpr double kAnchorStrength = 0.6;  // probability that an anchored position has its anchor's slot
constexpr double kMarkStays = 0.98;
constexpr size_t kMarks = 2;
constexpr int kNoAnchor = -1;

Matrix<double> uniform_rows(size_t size) {
  Matrix<double> rows(size, size);
  for (size_t row = 0; row < size; ++row) std::ranges::fill(rows.row(row), 1 / static_cast<double>(size));
  return rows;
}

Matrix<double> stays(size_t size, double probability) {
  Matrix<double> rows(size, size);
  for (size_t row = 0; row < size; ++row) {
    std::ranges::fill(rows.row(row), (1 - probability) / static_cast<double>(size - 1));
    rows(row, row) = probability;
  }
  return rows;
}

/// The mean of tables over some values.
template <class Values, class TableOf>
Matrix<double> mean_of(const Values& values, TableOf&& table_of) {
  Matrix<double> mean;
  for (const auto value : values) {
    const Matrix<double> table = table_of(value);
    if (mean.rows() == 0) mean = Matrix<double>(table.rows(), table.columns());
    for (size_t row = 0; row < mean.rows(); ++row) {
      for (size_t column = 0; column < mean.columns(); ++column) {
        mean(row, column) += table(row, column) / static_cast<double>(values.size());
      }
    }
  }
  return mean;
}

/// Of parts that move independently of each other.
Matrix<double> product_of(const Matrix<double>& outer, const Matrix<double>& inner) {
  const size_t size = outer.rows() * inner.rows();
  Matrix<double> product(size, size);
  for (size_t from = 0; from < size; ++from) {
    for (size_t to = 0; to < size; ++to) {
      product(from, to) = outer(from / inner.rows(), to / inner.rows()) * inner(from % inner.rows(), to % inner.rows());
    }
  }
  return product;
}

}  // namespace

CombinedTask::CombinedTask(const TaskSizes& sizes, uint64_t seed)
    : Task(kName, sizes, seed), boundaries_(Boundaries::of(sizes.length)), anchors_(sizes.length, kNoAnchor) {
  RandomStream random = table_stream();
  for (size_t position = 1; position < sizes.length; ++position) {
    const bool anchored = random.below(2) == 1;
    const size_t slot = random.below(sizes.combined_slots);
    if (anchored) anchors_[position] = static_cast<int>(slot);
  }
  uniform_.assign(states(), 1 / static_cast<double>(states()));
  const auto normals = [&](size_t rows) {
    Matrix<double> table(rows, sizes.symbols);
    for (size_t row = 0; row < rows; ++row) std::ranges::generate(table.row(row), [&] { return random.normal(); });
    return table;
  };
  const Matrix<double> of_topic = normals(sizes.combined_topics), of_slot = normals(sizes.combined_slots),
                       of_mark = normals(sizes.combined_slots * kMarks);
  emissions_ = Matrix<double>(states(), sizes.symbols);
  for (size_t state = 0; state < states(); ++state) {
    const size_t slot = state / kMarks % sizes.combined_slots;
    const bool shows_mark = slot == 0 || slot == sizes.combined_slots / 2;
    for (size_t symbol = 0; symbol < sizes.symbols; ++symbol) {
      emissions_(state, symbol) =
          std::exp(kTopicSharpness * of_topic(state / kMarks / sizes.combined_slots, symbol) +
                   kSlotSharpness * of_slot(slot, symbol) +
                   (shows_mark ? kMarkSharpness * of_mark(slot * kMarks + state % kMarks, symbol) : 0));
    }
    normalise(emissions_.row(state));
  }
  for (const Hidden hidden : {Hidden::nothing, Hidden::topic, Hidden::mark, Hidden::position, Hidden::segment}) {
    for (const bool second_segment : {false, true}) {
      for (size_t position = 0; position < sizes.length; ++position) {
        transitions_.push_back(transition(position, second_segment, hidden));
      }
    }
  }
}

Matrix<double> CombinedTask::slot_move(bool second_segment, int anchor) const {
  const size_t slots = sizes().combined_slots;
  Matrix<double> rows(slots, slots);
  for (size_t slot = 0; slot < slots; ++slot) {
    std::ranges::fill(rows.row(slot), (1 - kStep) / static_cast<double>(slots));
    rows(slot, (slot + (second_segment ? slots - 1 : 1)) % slots) += kStep;
    if (anchor == kNoAnchor) continue;
    for (double& probability : rows.row(slot)) probability *= 1 - kAnchorStrength;
    rows(slot, static_cast<size_t>(anchor)) += kAnchorStrength;
  }
  return rows;
}

CombinedTask::Move CombinedTask::move_into(size_t position, size_t boundary) const {
  return {.topic = stays(sizes().combined_topics, 1),
          .slot = slot_move(position >= boundary, anchors_[position]),
          .mark = stays(kMarks, kMarkStays)};
}

Matrix<double> CombinedTask::transition(size_t position, bool second_segment, Hidden hidden) const {
  Move move{.topic = stays(sizes().combined_topics, 1),
            .slot = slot_move(second_segment, anchors_[position]),
            .mark = stays(kMarks, kMarkStays)};
  if (hidden == Hidden::position) {
    move.slot = mean_of(anchors_, [&](int anchor) { return slot_move(second_segment, anchor); });
  }
  if (hidden == Hidden::segment) {
    move.slot = mean_of(boundaries_.all(), [&](size_t b) { return slot_move(position >= b, anchors_[position]); });
  }
  if (hidden == Hidden::topic) move.topic = uniform_rows(sizes().combined_topics);
  if (hidden == Hidden::mark) move.mark = uniform_rows(kMarks);
  return product_of(product_of(move.topic, move.slot), move.mark);
}

const Matrix<double>& CombinedTask::kept_transition(size_t position, size_t boundary, Hidden hidden) const {
  const size_t segment = position < boundary ? 0 : 1;
  return transitions_[(static_cast<size_t>(hidden) * 2 + segment) * sizes().length + position];
}

CombinedTask::Reader CombinedTask::reader(size_t boundary, Hidden hidden) const {
  Reader reader;
  for (size_t position = 0; position < sizes().length; ++position) {
    reader.push_back(&kept_transition(position, boundary, hidden));
  }
  return reader;
}

std::vector<Matrix<double>> CombinedTask::moves_without_neighbours(size_t boundary) const {
  const size_t slots = sizes().combined_slots;
  std::vector<double> slot_prior(slots, 1 / static_cast<double>(slots));
  std::vector<Matrix<double>> moves;
  for (size_t position = 0; position < sizes().length; ++position) {
    Move move = move_into(position, boundary);
    if (position > 0) {
      std::vector<double> here(slots, 0);
      for (size_t from = 0; from < slots; ++from) {
        for (size_t to = 0; to < slots; ++to) here[to] += slot_prior[from] * move.slot(from, to);
      }
      slot_prior = here;
      for (size_t from = 0; from < slots; ++from) std::ranges::copy(here, move.slot.row(from).begin());
    }
    moves.push_back(product_of(product_of(move.topic, move.slot), move.mark));
  }
  return moves;
}

Smoothed CombinedTask::read(const Reader& reader, std::span<const int32_t> seen, std::span<const size_t> asked) const {
  HiddenMarkov model{.initial = uniform_, .transitions = {}, .emissions = {}};
  model.transitions = reader;
  model.emissions.assign(reader.size(), &emissions_);
  return smooth(model, seen, asked);
}

void CombinedTask::fill(DataPart, RandomStream& random, TaskSequence& sequence) const {
  const size_t slots = sizes().combined_slots;
  sequence.boundary = boundaries_.draw(random);
  size_t topic = random.below(sizes().combined_topics), slot = random.below(slots), mark = random.below(kMarks);
  for (size_t position = 0; position < sizes().length; ++position) {
    if (position > 0) {
      const Move move = move_into(position, sequence.boundary);
      topic = draw_from(move.topic.row(topic), random);
      slot = draw_from(move.slot.row(slot), random);
      mark = draw_from(move.mark.row(mark), random);
    }
    sequence.segments[position] = position < sequence.boundary ? 0 : 1;
    sequence.symbols[position] =
        static_cast<int32_t>(draw_from(emissions_.row((topic * slots + slot) * kMarks + mark), random));
  }
}

Matrix<double> CombinedTask::posterior(const TaskSequence& sequence) const {
  return read(reader(sequence.boundary), seen_symbols(sequence), sequence.asked).symbols;
}

HiddenPosteriors CombinedTask::hidden_posteriors(const TaskSequence& sequence) const {
  const std::vector<int32_t> seen = seen_symbols(sequence);
  const size_t boundary = sequence.boundary;
  const auto without = [&](Hidden hidden) { return read(reader(boundary, hidden), seen, sequence.asked).symbols; };
  std::vector<Smoothed> of_boundaries;
  for (const size_t other : boundaries_.all()) {
    of_boundaries.push_back(read(reader(other), seen, sequence.asked));
  }
  HiddenPosteriors hidden;
  hidden.emplace("topic", without(Hidden::topic));
  hidden.emplace("mark", without(Hidden::mark));
  const std::vector<Matrix<double>> moves = moves_without_neighbours(boundary);
  Reader without_neighbours;
  for (const Matrix<double>& move : moves) without_neighbours.push_back(&move);
  hidden.emplace("neighbours", read(without_neighbours, seen, sequence.asked).symbols);
  hidden.emplace("position", without(Hidden::position));
  hidden.emplace("segment", without(Hidden::segment));
  hidden.emplace(kBoundary, mixture_of(of_boundaries));
  return hidden;
}

std::vector<double> CombinedTask::context_free() const {
  std::vector<double> of_states(states(), 0), symbols(sizes().symbols, 0);
  for (const size_t boundary : boundaries_.all()) {
    const Matrix<double> priors = state_priors(uniform_, reader(boundary));
    for (size_t position = 0; position < priors.rows(); ++position) {
      std::ranges::transform(of_states, priors.row(position), of_states.begin(), std::plus());
    }
  }
  for (size_t state = 0; state < states(); ++state) {
    for (size_t symbol = 0; symbol < symbols.size(); ++symbol)
      symbols[symbol] += of_states[state] * emissions_(state, symbol);
  }
  normalise(symbols);
  return symbols;
}

nlohmann::ordered_json CombinedTask::tables() const {
  const size_t topics = sizes().combined_topics, slots = sizes().combined_slots;
  auto emissions = nlohmann::ordered_json::array();
  for (size_t topic = 0; topic < topics; ++topic) {
    auto of_slots = nlohmann::ordered_json::array();
    for (size_t slot = 0; slot < slots; ++slot) {
      auto of_marks = nlohmann::ordered_json::array();
      for (size_t mark = 0; mark < kMarks; ++mark) {
        const auto row = emissions_.row((topic * slots + slot) * kMarks + mark);
        of_marks.push_back(std::vector<double>(row.begin(), row.end()));
      }
      of_slots.push_back(std::move(of_marks));
    }
    emissions.push_back(std::move(of_slots));
  }
  return {{"topics", topics},
          {"slots", slots},
          {"marks", kMarks},
          {"emissions", std::move(emissions)},
          {"step", kStep},
          {"anchor_strength", kAnchorStrength},
          {"anchors", anchors_},
          {"mark_stays", kMarkStays},
          {"boundaries", {boundaries_.first, boundaries_.last}}};
}

}  // namespace summand::train
