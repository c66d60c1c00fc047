#include "lab/experiments/removed_components/piece_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/removed_components/piece_figures.hpp"
#include "lab/experiments/removed_components/position_pieces.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace removed_components {
namespace {

constexpr NumberName kMostUsed{"removed_components", "most_used_component"};
constexpr NumberName kFirstComponent{"removed_components", "first_component"};
constexpr NumberName kBandFrom{"removed_components", "band_from"};  // families: of a band
constexpr NumberName kBandOfAllFrom{"removed_components", "band_of_all_from"};
constexpr NumberName kShareAgainstChange{"removed_components", "share_against_change"};

/// A piece that is removed.
struct Piece {
  std::string name;   ///< of its first number; the others have an ending
  NumberName family;  ///< whose label it has
  FormatArgs args;
};

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
  void add(const Piece& piece, const OutputChange& change) const {
    put(piece.name, label_of(piece, "vectors"), change, [&](const OutputChange& one) { return share_of_all(one); });
    if (!change.states.empty()) {
      put(piece.name + "_states", label_of(piece, "states"), change,
          [](const OutputChange& one) { return one.states.back(); });
    }
    if (!change.losses.empty()) {
      put(piece.name + "_loss", label_of(piece, "loss"), change,
          [](const OutputChange& one) { return mean(one.losses); });
    }
  }

 private:
  static LocalizedText label_of(const Piece& piece, const std::string& change) {
    FormatArgs args = piece.args;
    args.emplace_back("change", localize("removed_components.changes." + change));
    return piece.family.label(args);
  }
  template <class Of>
  void put(const std::string& name, const LocalizedText& label, const OutputChange& change, const Of& of) const {
    numbers_.add(NumberBuilder(name, label, of(change))
                     .null(of(least_), localize("removed_components.beside.least"))
                     .control(of(bench_.all_removed()), localize("removed_components.beside.all")));
  }

  const PieceBench& bench_;
  Numbers& numbers_;
  OutputChange least_;
};

}  // namespace
}  // namespace removed_components

void measure_components(const PieceBench& bench, size_t most, const Conditions& conditions, Findings& findings) {
  using namespace removed_components;
  Numbers& numbers = findings.numbers["4.10"];
  const PieceNumbers adder(bench, numbers);
  const size_t count = std::min(most, bench.pieces().components());
  std::vector<PieceChange> pieces;
  std::vector<double> shares;
  std::vector<double> changes;
  for (size_t i = 0; i < count; ++i) {
    const auto change = bench.change(bench.pieces().without(i));
    pieces.push_back({bench.pieces().share(i), adder.share_of_all(change)});
    shares.push_back(pieces.back().share);
    changes.push_back(pieces.back().change);
  }
  const auto largest = static_cast<size_t>(std::ranges::max_element(changes) - changes.begin());
  adder.add({kMostUsed.name, kMostUsed, {{"component", largest + 1}}},
            bench.change(bench.pieces().without(largest), CompareStates::all));
  const auto owner = bench.pieces().owner(largest);
  findings.remarks.push_back(localize("removed_components.remarks.most_used",
                                      {{"component", largest + 1}, {"share", owner.share}, {"row", owner.row}}));
  if (largest != 0) {
    adder.add({kFirstComponent.name, kFirstComponent, {}}, bench.change(bench.pieces().without(0), CompareStates::all));
  }
  const auto dealt = drawn({.seed = conditions.seed,
                            .name = "removed components: dealt",
                            .count = conditions.quick ? kFewOrders : kManyOrders,
                            .threads = thread_count(conditions)},
                           [&](RandomStream& stream) {
                             auto order = shares;
                             stream.shuffle(std::span(order));
                             return kendall_tau(order, changes);
                           });
  numbers.add(NumberBuilder(kShareAgainstChange, kendall_tau(shares, changes))
                  .null(median_estimate(dealt), localize("removed_components.beside.dealt"))
                  .control(kendall_tau(shares, shares), localize("removed_components.beside.proportional")));
  findings.figures.push_back(components_figure(pieces));
}

void measure_bands(const PieceBench& bench, const PieceBench& all_rows, Findings& findings) {
  using namespace removed_components;
  Numbers& numbers = findings.numbers["4.10"];
  std::vector<BandChange> pieces;
  for (const Band& band : bands_of(static_cast<size_t>(bench.pieces().table().rows()))) {
    pieces.push_back({.words = band.words});
  }
  const auto add = [&](const NumberName& family, const PieceBench& of, double BandChange::*changed) {
    const PieceNumbers adder(of, numbers);
    const auto bands = bands_of(static_cast<size_t>(of.pieces().table().rows()));
    for (size_t i = 0; i < bands.size(); ++i) {
      const auto piece = without_band(of.pieces().table(), bands[i], of.pieces().kept());
      const auto change = of.change(piece.without);
      adder.add({family.of(fmt::format("{}_cycles", bands[i].first)), family, {{"periods", bands[i].words}}}, change);
      pieces[i].*changed = adder.share_of_all(change);
      if (&of == &bench) pieces[i].share = piece.share;
    }
  };
  add(kBandFrom, bench, &BandChange::change);
  add(kBandOfAllFrom, all_rows, &BandChange::change_of_all);
  findings.figures.push_back(bands_figure(pieces));
}

}  // namespace summand::lab
