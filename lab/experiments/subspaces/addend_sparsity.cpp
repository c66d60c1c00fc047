#include "lab/experiments/subspaces/addend_sparsity.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/subspaces/subspaces_numbers.hpp"
#include "lab/probing/ordinary_items.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace subspaces {
namespace {

using Eigen::Index;

constexpr double kKept = 0.1;  // of the planted tokens' coordinates

constexpr NumberName kSparsityToken{"subspaces", "sparsity_token"};

/// Whole texts of the corpus in random order, until there are enough of them and enough tokens.
CorpusItems some_texts(const CorpusItems& corpus, const Conditions& conditions) {
  std::vector<size_t> order(corpus.texts.size() - 1);
  std::iota(order.begin(), order.end(), size_t{0});
  RandomStream stream(conditions.seed, "subspaces: texts");
  stream.shuffle(std::span(order));
  CorpusItems some;
  for (const size_t text : order) {
    if (some.items.size() >= size_of(conditions).tokens && some.filled_texts() >= kLeastResampled) break;
    const auto begin = corpus.items.begin() + static_cast<std::ptrdiff_t>(corpus.texts[text]);
    const auto end = corpus.items.begin() + static_cast<std::ptrdiff_t>(corpus.texts[text + 1]);
    if (begin == end) continue;
    some.items.insert(some.items.end(), begin, end);
    some.texts.push_back(some.items.size());
  }
  return some;
}

/// Every token's three rows: three tables of [tokens, hidden].
using Addends = std::array<Table, 3>;

Addends addends_of(const CorpusItems& corpus, const std::array<const Table*, 3>& tables) {
  Addends addends;
  for (auto& one : addends) one.resize(static_cast<Index>(corpus.items.size()), tables[0]->cols());
  for (size_t i = 0; i < corpus.items.size(); ++i) {
    const auto& item = corpus.items[i];
    const auto row = static_cast<Index>(i);
    addends[0].row(row) = tables[0]->row(item.token);
    addends[1].row(row) = tables[1]->row(item.position);
    addends[2].row(row) = tables[2]->row(item.segment);
  }
  return addends;
}

/// Each table turned by a rotation of its own: rows as long as before, and no coordinate is special.
Addends dense(Addends addends, uint64_t seed) {
  const auto side = static_cast<size_t>(addends[0].cols());
  for (size_t k = 0; const char* part : {"token", "position", "segment"}) {
    RandomStream stream(seed, std::string("subspaces: rotation of ") + part);
    addends[k] *= random_frame(side, side, stream);
    ++k;
  }
  return addends;
}

/// All rows of one length: a sum of such dense rows is as sparse as they are side by side.
Addends even(Addends addends) {
  for (auto& table : addends) {
    for (Index i = 0; i < table.rows(); ++i) {
      if (table.row(i).norm() > 0) table.row(i).normalize();
    }
  }
  return addends;
}

/// All but the largest tenth of each token row's coordinates gone.
Addends with_sparse_tokens(Addends addends) {
  for (Index i = 0; i < addends[0].rows(); ++i) {
    const Vector sizes = addends[0].row(i).cwiseAbs().transpose();
    const double least = quantile(elements(sizes), 1 - kKept);
    addends[0].row(i) =
        (sizes.transpose().array() >= least).select(addends[0].row(i).array() / std::sqrt(kKept), 0.0).eval();
  }
  return addends;
}

/// Of every token: Hoyer's measure of its token row, of its sum, of its three rows side by side; and of the three rows
/// each by itself, on the average by their energy: what side by side owes to rows of different lengths is not in it.
struct Sparsity {
  Vector token, sum, concatenation, rows;

  [[nodiscard]] Vector lost() const { return concatenation - sum; }
  [[nodiscard]] Vector lost_of_rows() const { return rows - sum; }
};

Sparsity sparsity_of(const Addends& addends) {
  const Table sums = addends[0] + addends[1] + addends[2];
  const Index tokens = sums.rows();
  const auto hoyer = [](const auto& row) {
    return row.isZero(0) ? 0 : hoyer_sparsity(elements(Vector(row.transpose())));
  };
  Sparsity sparsity{
      .token = Vector(tokens), .sum = Vector(tokens), .concatenation = Vector(tokens), .rows = Vector(tokens)};
  Eigen::RowVectorXd all(3 * sums.cols());
  for (Index i = 0; i < tokens; ++i) {
    all << addends[0].row(i), addends[1].row(i), addends[2].row(i);
    sparsity.token(i) = hoyer(addends[0].row(i));
    sparsity.sum(i) = hoyer(sums.row(i));
    sparsity.concatenation(i) = hoyer(all);
    double own = 0;
    for (const auto& part : addends) own += part.row(i).squaredNorm() * hoyer(part.row(i));
    sparsity.rows(i) = own > 0 ? own / all.squaredNorm() : 0;
  }
  return sparsity;
}

/// The mean over tokens; texts are drawn again as wholes.
Estimate estimate(const Vector& values, const std::vector<size_t>& texts, const std::string& name,
                  const Conditions& conditions) {
  const auto mean_over = [&](std::span<const size_t> chosen) {
    double sum = 0;
    double count = 0;
    for (const size_t text : chosen) {
      const auto tokens = static_cast<Index>(texts[text + 1] - texts[text]);
      sum += values.segment(static_cast<Index>(texts[text]), tokens).sum();
      count += static_cast<double>(tokens);
    }
    return sum / count;
  };
  return {.value = values.mean(),
          .interval = bootstrap(texts.size() - 1, mean_over,
                                {.seed = conditions.seed,
                                 .name = "subspaces: bootstrap " + name,
                                 .count = size_of(conditions).resamplings,
                                 .threads = thread_count(conditions)})};
}

/// A figure of every token, its own, the null's and the control's.
struct Figures {
  const NumberName& name;
  Vector own, null, control;
  LocalizedText of_null;
};

void add_figures(const Figures& of, const std::vector<size_t>& texts, const Conditions& conditions, Numbers& numbers) {
  const std::string name = of.name.name;
  const Estimate own = estimate(of.own, texts, name, conditions);
  const Estimate null = estimate(of.null, texts, name + " null", conditions);
  const Estimate control = estimate(of.control, texts, name + " control", conditions);
  numbers.add(NumberBuilder(of.name, own, {{"texts", texts.size() - 1}})
                  .null(null, of.of_null)
                  .control(control, localize("subspaces.beside.sparse_tokens")));
}

/// What is to be taken off rows that are centred about the mean of all, to centre them about that of some.
Eigen::RowVectorXd centring(const Table& some, const Table& all) {
  return some.colwise().mean() - all.colwise().mean();
}

}  // namespace
}  // namespace subspaces

void measure_sparsity(const Subject& subject, const InputParts& parts, const Conditions& conditions,
                      Findings& findings) {
  using namespace subspaces;
  const CorpusItems all = some_texts(corpus_items(subject), conditions);
  const CorpusItems ordinary = some_texts(ordinary_items(subject), conditions);
  if (const auto few = too_few(ordinary.filled_texts(), texts_with_a_word())) {
    findings.gaps["0.10"] = *few;
    return;
  }
  Numbers& numbers = findings.numbers["0.10"];
  const auto add_lost = [&](const NumberName& name, const CorpusItems& corpus, const Addends& addends) {
    add_figures({.name = name,
                 .own = sparsity_of(addends).lost(),
                 .null = sparsity_of(even(dense(addends, conditions.seed))).lost(),
                 .control = sparsity_of(with_sparse_tokens(addends)).lost(),
                 .of_null = localize("subspaces.beside.even_rows")},
                corpus.texts, conditions, numbers);
  };
  // About the means of rows other than row 0's and [CLS]'s, each of which could hold what the other does.
  const Table tokens_about = parts.tokens.rowwise() - centring(seen_tokens_but_first(subject), seen_tokens(subject));
  const Table all_positions = seen_positions(subject);
  const Table other_positions = all_positions.bottomRows(all_positions.rows() - 1);
  const Table positions_about = parts.positions.rowwise() - centring(other_positions, all_positions);
  const std::array<const Table*, 3> centred_parts{&tokens_about, &positions_about, &parts.segments};
  const Addends own = addends_of(all, centred_parts);
  add_lost(kLost, all, own);
  add_lost(kLostOrdinary, ordinary, addends_of(ordinary, centred_parts));
  const Table tokens = seen_tokens(subject);
  const Table positions = seen_positions(subject);
  const Table segments = seen_rows(subject, subject.segments);
  add_lost(kLostRaw, all, addends_of(all, {&tokens, &positions, &segments}));
  const Sparsity as_own = sparsity_of(own);
  const Sparsity as_dense = sparsity_of(dense(own, conditions.seed));
  const Sparsity as_sparse = sparsity_of(with_sparse_tokens(own));
  const LocalizedText of_dense = localize("subspaces.beside.dense_rows");
  add_figures({.name = kLostOfRows,
               .own = as_own.lost_of_rows(),
               .null = as_dense.lost_of_rows(),
               .control = as_sparse.lost_of_rows(),
               .of_null = of_dense},
              all.texts, conditions, numbers);
  const NumberAdder add(numbers, as_own, {as_dense, of_dense}, {as_sparse, localize("subspaces.beside.sparse_tokens")});
  const auto add_level = [&](const NumberName& name, Vector Sparsity::*field) {
    add(name, [field](const Sparsity& one) { return (one.*field).mean(); });
  };
  add_level(kSparsityToken, &Sparsity::token);
  add_level(kSparsitySum, &Sparsity::sum);
  add_level(kSparsityConcatenation, &Sparsity::concatenation);
}

}  // namespace summand::lab
