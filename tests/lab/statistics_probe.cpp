// statistics_probe FOLDER: reads FOLDER/*.txt tables that statistics_test.py wrote ("rows columns" and then the
// numbers) and writes what each statistic makes of them into FOLDER/ours/*.txt in the same form.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/statistics/boosted_trees.hpp"
#include "lab/statistics/isotonic.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/kolmogorov_smirnov.hpp"
#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/logistic_regression.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/normal_law.hpp"
#include "lab/statistics/paired_difference.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/procrustes.hpp"
#include "lab/statistics/similarity.hpp"
#include "lab/statistics/spectrum.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/tsne.hpp"

using namespace summand::lab;

namespace {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_ / "ours");
  }

  [[nodiscard]] Table read(const std::string& name) const {
    std::ifstream file(path_ / (name + ".txt"));
    Eigen::Index rows = 0;
    Eigen::Index columns = 0;
    file >> rows >> columns;
    Table table(rows, columns);
    for (Eigen::Index i = 0; i < table.size(); ++i) file >> table.data()[i];
    if (!file) throw std::runtime_error("cannot read " + name);
    return table;
  }

  [[nodiscard]] std::vector<int32_t> labels(const std::string& name) const {
    const Table table = read(name);
    std::vector<int32_t> labels;
    for (const double value : elements(table)) labels.push_back(static_cast<int32_t>(value));
    return labels;
  }

  void write(const std::string& name, const Table& table) const {
    std::ofstream file(path_ / "ours" / (name + ".txt"));
    file << fmt::format("{} {}\n", table.rows(), table.cols());
    for (const double value : elements(table)) file << fmt::format("{:.17g}\n", value);
  }
  void write(const std::string& name, double value) const { write(name, Table::Constant(1, 1, value)); }

 private:
  std::filesystem::path path_;
};

void numbers(const Folder& folder) {
  const Table x = folder.read("tall");
  folder.write("moments", Vector{{mean(elements(x)), standard_deviation(elements(x)), kurtosis(elements(x)),
                                  quantile(elements(x), 0.123), tail_fraction(elements(x), 1.5)}});
  const auto normal = kolmogorov_smirnov(elements(x), normal_cdf);
  const TruncatedNormal law{.sigma = 1.3};
  const auto truncated = kolmogorov_smirnov(elements(x), [&](double value) { return law.cdf(value); });
  folder.write("ks", Vector{{normal.statistic, normal.p, truncated.statistic, truncated.p}});
  folder.write("truncated", Vector{{law.standard_deviation(), law.kurtosis(), law.cdf(0.7), law.density(0.7)}});
  const Table ties = folder.read("ties");
  const Vector a = ties.col(0);
  const Vector b = ties.col(1);
  folder.write("kendall", kendall_tau(elements(a), elements(b)));
  folder.write("spectrum", amplitude_spectrum(elements(a)));
  const Table trend = folder.read("trend");
  Table steady(trend.rows(), 2);
  steady << isotonic(trend.col(0), trend.col(1), Order::rising), isotonic(-trend.col(0), trend.col(1), Order::falling);
  folder.write("isotonic", steady);
}

/// Of each column of "paired": mean, deviation, the ends of two intervals, and p-values about a bound and a margin.
void paired(const Folder& folder) {
  const Table samples = folder.read("paired");
  constexpr double kBound = 0.3, kMargin = 0.5;
  Table results(samples.cols(), 9);
  for (Eigen::Index column = 0; column < samples.cols(); ++column) {
    const Vector values = samples.col(column);
    const PairedDifference difference(elements(values));
    const Interval wide = difference.interval(0.95), narrow = difference.interval(0.9);
    results.row(column) << difference.mean(), difference.deviation(), wide.low, wide.high, narrow.low, narrow.high,
        difference.p_above(kBound), difference.p_below(kBound), difference.p_equivalent(kMargin);
  }
  folder.write("paired", results);
}

void geometry(const Folder& folder) {
  const Table x = folder.read("tall");
  const Table wide = folder.read("wide");
  for (const auto& [name, table] : {std::pair{"tall", x}, {"wide", wide}}) {
    const auto components = principal_components(table, 5);
    const std::string prefix = name;
    folder.write(prefix + "_shares", components.shares);
    folder.write(prefix + "_variances", components.variances);
    folder.write(prefix + "_scores", components.scores);
    folder.write(prefix + "_loadings", components.loadings);
  }
  const auto span = [&](const char* name) {
    const Table rows = folder.read(name);
    return leading_subspace(rows, static_cast<size_t>(rows.rows()));
  };
  folder.write("angles", principal_angles(span("span_a"), span("span_b")));
  folder.write("procrustes", orthogonal_procrustes(folder.read("turn_from"), folder.read("turn_to")));
  folder.write("cka", Vector{{linear_cka(x, folder.read("other")), linear_cka(wide, folder.read("wide_other"))}});
  folder.write("trustworthiness", trustworthiness(x, x.leftCols(2), 9));
}

void embedding(const Folder& folder) {
  const Table x = folder.read("cloud");
  const Table joint = joint_probabilities(x, 15);
  const Table y = folder.read("cloud_embedding");
  folder.write("joint", joint);
  folder.write("objective", tsne_objective(joint, y));
  folder.write("gradient", tsne_gradient(joint, y));
  const auto result = tsne(x, {.perplexity = 15});
  folder.write("tsne", result.embedding);
  folder.write("tsne_objective", result.objective);
}

void regression(const Folder& folder) {
  const Table x = folder.read("tall");
  const Table wide = folder.read("wide");
  const Table y = folder.read("targets");
  const Table wide_y = folder.read("wide_targets");
  const auto write = [&](const std::string& name, const LinearModel& model) {
    folder.write(name + "_weights", model.weights);
    folder.write(name + "_offset", model.offset);
  };
  write("ols", fit_least_squares(x, y));
  write("ols_wide", fit_least_squares(wide, wide_y));
  for (const int32_t classes : {2, 4}) {
    const auto name = fmt::format("logistic{}", classes);
    const auto labels = folder.labels(name);
    const auto model = fit_logistic(x, labels, static_cast<size_t>(classes), {.penalty = 2, .tolerance = 1e-10});
    folder.write(name + "_weights", model.weights);
    folder.write(name + "_probabilities", model.probabilities(x));
  }
  const Table inputs = folder.read("boosting_inputs");
  const Vector targets = folder.read("boosting_targets").col(0);
  const Table held_out = folder.read("boosting_held_out");
  BoostingSettings settings{.trees = 60, .depth = 4, .search = SplitSearch::exact};
  folder.write("boosting_exact", fit_boosted_trees(inputs, targets, settings).predict(held_out));
  settings.search = SplitSearch::histogram;
  folder.write("boosting_histogram", fit_boosted_trees(inputs, targets, settings).predict(held_out));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: statistics_probe FOLDER\n");
    return 2;
  }
  try {
    const Folder folder(argv[1]);
    numbers(folder);
    paired(folder);
    geometry(folder);
    embedding(folder);
    regression(folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "statistics_probe: {}\n", error.what());
    return 1;
  }
  return 0;
}
