#include "lab/experiments/subspaces/addend_sparsity.hpp"

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/subspaces/subspaces_numbers.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace subspaces {
namespace {

constexpr double kKept = 0.1;  // of the planted tokens' coordinates

constexpr NumberName kSparsityToken{"subspaces", "sparsity_token"};

/// Mean Hoyer sparsity of the vectors, over items.
struct Sparsity {
  double token = 0, sum = 0, concatenation = 0;
  [[nodiscard]] double lost() const { return concatenation - sum; }
};

/// @param rotations  of the three tables' rows; empty: none
Sparsity sparsity_of(const std::vector<std::array<Vector, 3>>& rows, const std::vector<Eigen::MatrixXd>& rotations) {
  Sparsity mean_of;
  const auto count = static_cast<double>(rows.size());
  for (const auto& item : rows) {
    std::array<Vector, 3> parts = item;
    for (size_t k = 0; k < rotations.size(); ++k) parts[k] = rotations[k] * parts[k];
    const Vector sum = parts[0] + parts[1] + parts[2];
    Vector all(3 * sum.size());
    all << parts[0], parts[1], parts[2];
    mean_of.token += hoyer_sparsity(elements(parts[0])) / count;
    mean_of.sum += hoyer_sparsity(elements(sum)) / count;
    mean_of.concatenation += hoyer_sparsity(elements(all)) / count;
  }
  return mean_of;
}

/// All but the largest tenth of each token row's coordinates gone.
std::vector<std::array<Vector, 3>> sparse_tokens(std::vector<std::array<Vector, 3>> rows) {
  for (auto& item : rows) {
    const Vector sizes = item[0].cwiseAbs();
    const double least = quantile(elements(sizes), 1 - kKept);
    item[0] = (sizes.array() >= least).select(item[0].array() / std::sqrt(kKept), 0.0);
  }
  return rows;
}

}  // namespace
}  // namespace subspaces

void measure_sparsity(const Subject& subject, const CorpusItems& corpus, const Conditions& conditions,
                      Findings& findings) {
  using namespace subspaces;
  RandomStream stream(conditions.seed, "subspaces: items");
  std::vector<std::array<Vector, 3>> rows;
  for (const auto& item : drawn_items(corpus, size_of(conditions).items, stream)) {
    rows.push_back({subject.tokens.row(item.token).transpose(), subject.positions.row(item.position).transpose(),
                    subject.segments.row(item.segment).transpose()});
    if (rows.back()[0].isZero(0) || (rows.back()[0] + rows.back()[1] + rows.back()[2]).isZero(0)) rows.pop_back();
  }
  if (rows.empty()) {
    findings.gaps["0.10"] = wording("subspaces.gaps.no_corpus");
    return;
  }
  const auto side = static_cast<size_t>(subject.tokens.cols());
  std::vector<Eigen::MatrixXd> rotations;
  for (const char* part : {"token", "position", "segment"}) {
    RandomStream rotation(conditions.seed, std::string("subspaces: rotation of ") + part);
    rotations.emplace_back(random_frame(side, side, rotation));
  }
  const Sparsity own = sparsity_of(rows, {});
  const Sparsity null = sparsity_of(rows, rotations);
  const Sparsity control = sparsity_of(sparse_tokens(rows), {});
  std::vector<double> lost;
  for (const auto& item : rows) lost.push_back(sparsity_of({item}, {}).lost());
  const Words of_null = wording("subspaces.beside.dense_rows");
  const Words of_control = wording("subspaces.beside.sparse_tokens");
  Numbers& numbers = findings.numbers["0.10"];
  numbers.add(Measured(kLost, own.lost())
                  .interval(bootstrap(lost.size(),
                                      [&](std::span<const size_t> chosen) {
                                        double sum = 0;
                                        for (const size_t i : chosen) sum += lost[i];
                                        return sum / static_cast<double>(chosen.size());
                                      },
                                      {.seed = conditions.seed,
                                       .name = "subspaces: bootstrap",
                                       .count = size_of(conditions).resamplings,
                                       .threads = threads_of(conditions)}))
                  .null(null.lost(), of_null)
                  .control(control.lost(), of_control));
  const auto add = [&](const NumberName& name, double Sparsity::*field) {
    numbers.add(Measured(name, own.*field).null(null.*field, of_null).control(control.*field, of_control));
  };
  add(kSparsityToken, &Sparsity::token);
  add(kSparsitySum, &Sparsity::sum);
  add(kSparsityConcatenation, &Sparsity::concatenation);
}

}  // namespace summand::lab
