#include "lab/experiments/beyond_the_table/window_runs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "lab/nulls/named_tables.hpp"
#include "lab/probing/long_positions.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kCorpusOverLong =
    4;  // long texts are joined of the longest texts that have so many times their tokens

/// The table's own rows, and behind them noise about the mean row, as long as the ordinary rows are about it.
Table with_noise(const Table& table, size_t rows, RandomStream& stream) {
  const Vector common = column_means(table);
  const Vector norms = centred(table).rowwise().norm();
  const auto own = static_cast<size_t>(table.rows());
  Table noise = white_noise({rows - own, static_cast<size_t>(table.cols())}, stream);
  noise.rowwise().normalize();
  Table longer(static_cast<Index>(rows), table.cols());
  longer.topRows(table.rows()) = table;
  longer.bottomRows(noise.rows()) = (median(elements(norms)) * noise).rowwise() + common.transpose();
  return longer;
}

Table with_shuffled(const Table& table, size_t rows, RandomStream& stream) {
  Table longer(static_cast<Index>(rows), table.cols());
  longer.topRows(table.rows()) = table;
  for (Index row = table.rows(); row < longer.rows(); row += table.rows()) {
    const Index count = std::min(table.rows(), longer.rows() - row);
    longer.middleRows(row, count) = row_shuffled(table, stream).topRows(count);
  }
  return longer;
}

std::vector<int32_t> with_masks(const Subject& subject, std::span<const int32_t> ids, RandomStream& stream) {
  Texts one;
  one.batch.add(ids, std::vector<int32_t>(ids.size(), 0));
  one.special.assign(ids.size(), false);
  return mask_texts(subject, one, stream).batch.ids;
}

std::vector<Window> windows_of(const LongTexts& texts, size_t first_block) {
  std::vector<Window> windows;
  for (size_t text = 0; text < texts.ids.size(); ++text) {
    const size_t tokens = texts.ids[text].size();
    for (size_t block = first_block; block * texts.width < tokens; ++block) {
      const size_t begin = block * texts.width;
      windows.push_back({.text = text, .block = block, .begin = begin, .end = std::min(tokens, begin + texts.width)});
    }
  }
  return windows;
}

/// Neighbouring ordinary tokens of a long text that are run together, in the frame.
struct Piece {
  size_t text = 0;
  size_t begin = 0;
  size_t end = 0;
  size_t skipped = 0;  ///< positions between what stands in front and the first of them

  bool operator==(const Piece&) const = default;
};

/// The half table of tokens that ends with the window, at the table's first positions.
Piece half_table_of(const LongTexts& texts, const Window& window) {
  const size_t around = kBlocksOfTable / 2 * texts.width;
  return {.text = window.text,
          .begin = window.end > around ? window.end - around : 0,
          .end = std::max(window.end, around),
          .skipped = 0};
}

/// So many positions a piece can be moved within the table.
size_t room_for(const LongTexts& texts, const Piece& piece) {
  return texts.positions - texts.frame.size() - (piece.end - piece.begin);
}

Piece piece_of(const LongTexts& texts, const Window& window, Surroundings surroundings) {
  if (surroundings == Surroundings::whole_text) {
    return {.text = window.text, .begin = 0, .end = texts.ids[window.text].size(), .skipped = 0};
  }
  Piece piece = half_table_of(texts, window);
  const size_t last = room_for(texts, piece);
  if (surroundings == Surroundings::own_place) {
    piece.skipped = piece.begin;
  } else if (window.block < kBlocksOfTable) {
    piece.skipped = std::min(piece.begin, last);
  } else {
    piece.skipped = last * (window.block % kBlocksOfTable) / (kBlocksOfTable - 1);
  }
  return piece;
}

std::span<const int32_t> tokens_of(const std::vector<std::vector<int32_t>>& ids, const Piece& piece) {
  return std::span(ids[piece.text]).subspan(piece.begin, piece.end - piece.begin);
}

MaskedTexts masked_piece(const LongTexts& texts, const Piece& piece) {
  MaskedTexts result{.batch = {}, .masked = {}, .labels = {}};
  add_framed(result.batch, texts.frame, tokens_of(texts.masked, piece), piece.skipped);
  for (size_t i = piece.begin; i < piece.end; ++i) {
    if (texts.masked[piece.text][i] == texts.ids[piece.text][i]) continue;
    result.masked.push_back(i - piece.begin + texts.frame.front.size());
    result.labels.push_back(texts.ids[piece.text][i]);
  }
  return result;
}

/// Last vectors of a piece's tokens, those of the frame left out. @return [ordinary tokens, hidden]
Table ordinary_states(const engine::Engine& engine, const LongTexts& texts, const Piece& piece) {
  model::Batch batch;
  add_framed(batch, texts.frame, tokens_of(texts.ids, piece), piece.skipped);
  return last_states(engine, batch)
      .middleRows(static_cast<Index>(texts.frame.front.size()), static_cast<Index>(piece.end - piece.begin))
      .eval();
}

/// A piece, run.
struct PieceRun {
  Piece piece;
  Table states;  ///< [ordinary tokens, hidden]
  MaskedTexts masked;
  MaskedScores scores;
};

PieceRun run_piece(const engine::Engine& engine, const LongTexts& texts, const Piece& piece) {
  PieceRun run{.piece = piece, .states = {}, .masked = {.batch = {}, .masked = {}, .labels = {}}, .scores = {}};
  run.states = ordinary_states(engine, texts, piece);
  if (!texts.masked.empty()) {
    run.masked = masked_piece(texts, piece);
    run.scores = masked_scores(engine, run.masked);
  }
  return run;
}

/// What of the masked tokens of a window was predicted.
MaskedScores scores_in(const PieceRun& run, const Window& window, size_t front) {
  MaskedScores inside;
  for (size_t i = 0; i < run.masked.masked.size(); ++i) {
    const size_t token = run.masked.masked[i] - front + run.piece.begin;
    if (token < window.begin || token >= window.end) continue;
    inside.losses.push_back(run.scores.losses[i]);
    inside.right.push_back(run.scores.right[i]);
  }
  return inside;
}

}  // namespace

size_t last_ordinary_row(const Table& table) {
  const auto outlying = outlying_rows(table);
  auto last = static_cast<size_t>(table.rows()) - 1;
  while (last > 0 && std::ranges::binary_search(outlying, last)) --last;
  return last;
}

std::vector<LongerTable> ways_beyond() {
  const auto way = [](const char* name, const chart::Look& look) {
    return LongerTable{name, {localize(std::string("beyond_the_table.ways.") + name), look}, {}};
  };
  std::vector<LongerTable> ways{way("clamped", {.colour = "@orange", .dash = {6, 3}}),
                                way("stretched", {.colour = "@green", .dash = {2, 2}}),
                                way("tiled", {.colour = "@purple", .dash = {8, 3, 2, 3}})};
  for (const int percent : kHierarchicalPercents) {
    ways.push_back({"hierarchical_" + std::to_string(percent),
                    {localize("beyond_the_table.ways.hierarchical", {{"share", percent / 100.0}}), {.colour = "@blue"}},
                    {}});
  }
  ways.push_back(way("shuffled", {.colour = "@red", .dash = {1, 2}}));
  ways.push_back(way("noise", {.colour = "@faint", .dash = {1, 3}}));
  return ways;
}

std::vector<LongerTable> longer_tables(const Table& table, size_t rows, uint64_t seed) {
  std::vector<Table> longer{clamped_positions(table, rows, last_ordinary_row(table)), stretched_positions(table, rows),
                            tiled_positions(table, rows)};
  for (const int percent : kHierarchicalPercents) {
    longer.push_back(hierarchical_positions(table, rows, percent / 100.0));
  }
  RandomStream order(seed, "positions beyond the table: order");
  longer.push_back(with_shuffled(table, rows, order));
  RandomStream noise(seed, "positions beyond the table: noise");
  longer.push_back(with_noise(table, rows, noise));
  auto tables = ways_beyond();
  for (size_t i = 0; i < tables.size(); ++i) tables[i].rows = std::move(longer[i]);
  return tables;
}

LongTexts long_texts(const Subject& subject, const LongTextsChoice& choice, uint64_t seed) {
  LongTexts texts;
  texts.frame = frame_of(subject);
  texts.positions = static_cast<size_t>(subject.positions.rows());
  texts.width = texts.positions / kBlocksOfTable;
  const size_t room = choice.length - texts.frame.size();
  const bool masks = !lacks_masked_language(subject);
  const auto among = longest_texts(subject, kCorpusOverLong * room);
  for (size_t i = 0; i < choice.texts; ++i) {
    RandomStream stream(seed, choice.name + " " + std::to_string(i));
    texts.ids.push_back(joined_text(subject, among, room, stream).ids);
    texts.ids.back().resize(room);
    if (masks) texts.masked.push_back(with_masks(subject, texts.ids.back(), stream));
  }
  texts.windows = windows_of(texts, choice.first_block);
  return texts;
}

WindowsInTable::WindowsInTable(const engine::Engine& engine, const LongTexts& texts) : texts_(&texts) {
  Index count = 0;
  for (const auto& window : texts.windows) {
    Piece piece = half_table_of(texts, window);
    const size_t last = room_for(texts, piece);
    const auto tokens = static_cast<Index>(window.end - window.begin);
    Table mean;
    for (size_t place = 0; place < kReferencePlaces; ++place) {
      piece.skipped = last * (2 * place + 1) / (2 * kReferencePlaces);
      const Table states =
          ordinary_states(engine, texts, piece).middleRows(static_cast<Index>(window.begin - piece.begin), tokens) /
          static_cast<double>(kReferencePlaces);
      mean = place == 0 ? states : Table(mean + states);
    }
    states_.push_back(std::move(mean));
    const Vector sum = states_.back().colwise().sum();
    common_ = count == 0 ? sum : Vector(common_ + sum);
    count += states_.back().rows();
  }
  common_ /= static_cast<double>(count);
  for (auto& states : states_) states.rowwise() -= common_.transpose();
}

WindowScores WindowsInTable::scores(const engine::Engine& engine, Surroundings surroundings, size_t first_block,
                                    const WindowScores& before) const {
  WindowScores scores;
  PieceRun run;
  for (size_t i = 0; i < states_.size(); ++i) {
    const Window& window = texts_->windows[i];
    if (window.block < first_block) {
      scores.tokens.push_back(before.tokens[i]);
      scores.means.push_back(before.means[i]);
      scores.losses.push_back(before.losses[i]);
      scores.right.push_back(before.right[i]);
      continue;
    }
    const Piece piece = piece_of(*texts_, window, surroundings);
    if (run.states.rows() == 0 || run.piece != piece) run = run_piece(engine, *texts_, piece);
    compare(i, run.states.middleRows(static_cast<Index>(window.begin - piece.begin), states_[i].rows()), scores);
    const auto masked = scores_in(run, window, texts_->frame.front.size());
    scores.losses.push_back(masked.losses.empty() ? std::nan("") : masked.mean_loss());
    scores.right.push_back(masked.losses.empty() ? std::nan("") : masked.accuracy());
  }
  return scores;
}

void WindowsInTable::compare(size_t window, const Table& states, WindowScores& scores) const {
  const Table own = states.rowwise() - common_.transpose();
  scores.tokens.push_back(cosines_by_row(own, states_[window]).mean());
  const Table mean = own.colwise().mean();
  scores.means.push_back(cosines_by_row(mean, states_[window].colwise().mean())(0));
}

}  // namespace summand::lab
