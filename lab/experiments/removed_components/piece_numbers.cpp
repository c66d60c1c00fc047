#include "lab/experiments/removed_components/piece_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/removed_components/piece_figures.hpp"
#include "lab/experiments/removed_components/position_pieces.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace {

/// Numbers of pieces of the checkpoint's own table, between removing next to nothing and removing all.
class PieceNumbers {
 public:
  PieceNumbers(const PieceBench& bench, Numbers& numbers)
      : bench_(bench),
        numbers_(numbers),
        least_(bench.change(bench.pieces().without(bench.pieces().components() - 1), CompareStates::all)) {}

  [[nodiscard]] double share_of_all(const OutputChange& change) const {
    return ratio_of_means(change.vectors, bench_.all_removed().vectors);
  }
  void add(const std::string& name, const Words& of, const OutputChange& change) const {
    put(name,
        {of.en + " removed: change of sentence vectors, over that of removing all",
         "去掉" + of.zh + "：句向量的变化与去掉全部时之比"},
        change, [&](const OutputChange& one) { return share_of_all(one); });
    if (!change.states.empty()) {
      put(name + "_states", {of.en + " removed: last hidden states, 1 − CKA", "去掉" + of.zh + "：末层隐状态，1 − CKA"},
          change, [](const OutputChange& one) { return one.states.back(); });
    }
    if (!change.losses.empty()) {
      put(name + "_loss",
          {of.en + " removed: change of masked-language loss, nats", "去掉" + of.zh + "：掩码语言损失的变化，奈特"},
          change, [](const OutputChange& one) { return mean(one.losses); });
    }
  }

 private:
  template <class Of>
  void put(const std::string& name, const Words& label, const OutputChange& change, const Of& of) const {
    numbers_.add(Measured(name, label, of(change))
                     .null(of(least_), {"the component of least variance removed", "去掉方差最小的主成分"})
                     .control(of(bench_.all_removed()), {"all removed", "全部去掉"}));
  }

  const PieceBench& bench_;
  Numbers& numbers_;
  OutputChange least_;
};

}  // namespace

void measure_components(const PieceBench& bench, size_t most, const Conditions& conditions, Findings& findings) {
  Numbers& numbers = findings.numbers["4.10"];
  const PieceNumbers adder(bench, numbers);
  const size_t count = std::min(most, bench.pieces().components());
  std::vector<PieceChange> pieces;
  std::vector<double> shares;
  std::vector<double> changes;
  for (size_t i = 0; i < count; ++i) {
    const auto change = bench.change(bench.pieces().without(i));
    pieces.push_back({{}, bench.pieces().share(i), adder.share_of_all(change)});
    shares.push_back(pieces.back().share);
    changes.push_back(pieces.back().change);
  }
  const auto largest = static_cast<size_t>(std::ranges::max_element(changes) - changes.begin());
  adder.add(
      "most_used_component",
      {fmt::format("component {}, the most used", largest + 1), fmt::format("用得最多的第 {} 主成分", largest + 1)},
      bench.change(bench.pieces().without(largest), CompareStates::all));
  const auto owner = bench.pieces().owner(largest);
  findings.remarks.push_back({fmt::format("The component used most, number {}, is to {:.2f} that of row {} alone.",
                                          largest + 1, owner.share, owner.row),
                              fmt::format("用得最多的是第 {} 主成分，其方差的 {:.2f} 来自第 {} 行一行。", largest + 1,
                                          owner.share, owner.row)});
  if (largest != 0) {
    adder.add("first_component", {"component 1", "第 1 主成分"},
              bench.change(bench.pieces().without(0), CompareStates::all));
  }
  const auto dealt = drawn({.seed = conditions.seed,
                            .name = "removed components: dealt",
                            .count = conditions.quick ? 50U : 500U,
                            .threads = threads_of(conditions)},
                           [&](RandomStream& stream) {
                             auto order = shares;
                             stream.shuffle(std::span(order));
                             return kendall_tau(order, changes);
                           });
  numbers.add(Measured("share_against_change",
                       {"Kendall's τ over components: share of the variance, and change without it",
                        "各主成分的 Kendall τ：方差占比与去掉后的变化"},
                       kendall_tau(shares, changes))
                  .null(median(dealt), {"shares dealt anew", "占比重新分配"}, middle_95_percent(dealt))
                  .control(kendall_tau(shares, shares), {"changes in proportion to shares", "变化与占比成正比"}));
  findings.figures.push_back(components_figure(pieces));
}

void measure_bands(const PieceBench& bench, Findings& findings) {
  const PieceNumbers adder(bench, findings.numbers["4.10"]);
  std::vector<PieceChange> pieces;
  for (const Band& band : bands_of(static_cast<size_t>(bench.pieces().table().rows()))) {
    const auto piece = without_band(bench.pieces().table(), band);
    const auto change = bench.change(piece.without);
    adder.add(fmt::format("band_from_{}_cycles", band.first),
              {"periods of " + band.words.en + " positions", "周期 " + band.words.zh + " 个位置的成分"}, change);
    pieces.push_back({band.words, piece.share, adder.share_of_all(change)});
  }
  findings.figures.push_back(bands_figure(pieces));
}

}  // namespace summand::lab
