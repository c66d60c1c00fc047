#include "lab/statistics/boosted_trees.hpp"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// A residual is a whole multiple of 2^-20 of the largest: a float holds it, and a double the sum of 2^32 of them.
constexpr int kResidualBits = 20;

void checked(int status) {
  if (status != 0) throw Error("XGBoost", XGBGetLastError());
}

struct FreeMatrix {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;

Matrix matrix_of(const Table& inputs, int threads) {
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values = inputs.cast<float>();
  require(values.allFinite(), "boosting", "expected inputs that are finite in float");
  DMatrixHandle handle = nullptr;
  checked(XGDMatrixCreateFromMat_omp(values.data(), static_cast<bst_ulong>(values.rows()),
                                     static_cast<bst_ulong>(values.cols()), std::numeric_limits<float>::quiet_NaN(),
                                     &handle, threads));
  return Matrix(handle);
}

/// Prediction less target, rounded.
void residuals_into(std::span<const float> predicted, const Vector& targets, std::vector<float>& residuals) {
  double largest = 0;
  for (size_t i = 0; i < predicted.size(); ++i) {
    largest = std::max(largest, std::abs(predicted[i] - targets(static_cast<Eigen::Index>(i))));
  }
  const double unit = largest > 0 ? std::exp2(std::ceil(std::log2(largest)) - kResidualBits) : 1;
  residuals.resize(predicted.size());
  for (size_t i = 0; i < predicted.size(); ++i) {
    const double residual = predicted[i] - targets(static_cast<Eigen::Index>(i));
    residuals[i] = static_cast<float>(std::round(residual / unit) * unit);
  }
}

}  // namespace

struct BoostedTrees::Booster {
  BoosterHandle handle = nullptr;
  Eigen::Index columns = 0;
  double mean = 0;  ///< of the targets; the trees predict what is left
  int threads = 1;

  Booster() = default;
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  ~Booster() { XGBoosterFree(handle); }

  void set(const char* name, const std::string& value) const {
    checked(XGBoosterSetParam(handle, name, value.c_str()));
  }

  void configure(const BoostingSettings& settings) const {
    set("verbosity", "0");
    set("objective", "reg:squarederror");
    set("base_score", "0");
    set("tree_method", settings.search == SplitSearch::exact ? "exact" : "hist");
    set("max_bin", fmt::format("{}", settings.bins));
    set("max_depth", fmt::format("{}", settings.depth));
    set("eta", fmt::format("{}", settings.learning_rate));
    // The second derivative of squared error is 1 for every sample: the weight of a leaf is its number of samples.
    set("min_child_weight", fmt::format("{}", settings.min_leaf));
    set("lambda", "0");
    set("nthread", fmt::format("{}", settings.threads));
  }

  /// Valid until the next call.
  [[nodiscard]] std::span<const float> raw(const Matrix& matrix) const {
    constexpr const char* kAsked =
        R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* values = nullptr;
    checked(XGBoosterPredictFromDMatrix(handle, matrix.get(), kAsked, &shape, &dimensions, &values));
    return {values, static_cast<size_t>(shape[0])};
  }
};

BoostedTrees::BoostedTrees(std::unique_ptr<Booster> booster) : booster_(std::move(booster)) {}
BoostedTrees::BoostedTrees(BoostedTrees&&) noexcept = default;
BoostedTrees& BoostedTrees::operator=(BoostedTrees&&) noexcept = default;
BoostedTrees::~BoostedTrees() = default;

Vector BoostedTrees::predict(const Table& inputs) const {
  require(inputs.cols() == booster_->columns && inputs.rows() > 0, "boosting",
          fmt::format("expected rows of {} columns, got {}", booster_->columns, inputs.cols()));
  const Matrix matrix = matrix_of(inputs, booster_->threads);
  const auto raw = booster_->raw(matrix);
  const Eigen::Map<const Eigen::VectorXf> values(raw.data(), static_cast<Eigen::Index>(raw.size()));
  return values.cast<double>().array() + booster_->mean;
}

BoostedTrees fit_boosted_trees(const Table& inputs, const Vector& targets, const BoostingSettings& settings) {
  require(inputs.rows() == targets.size() && inputs.rows() > 0, "boosting", "expected a target for every row");
  require(targets.allFinite(), "boosting", "expected targets that are finite");
  require(settings.threads >= 1 && settings.trees >= 1 && settings.depth >= 1 && settings.min_leaf >= 1 &&
              settings.bins >= 2,
          "boosting", "expected threads, trees, depth and leaves of 1 or more, and bins of 2 or more");
  const Matrix matrix = matrix_of(inputs, settings.threads);
  auto booster = std::make_unique<BoostedTrees::Booster>();
  booster->columns = inputs.cols();
  booster->mean = targets.mean();
  booster->threads = settings.threads;
  const DMatrixHandle handle = matrix.get();
  checked(XGBoosterCreate(&handle, 1, &booster->handle));
  booster->configure(settings);

  const Vector around_mean = targets.array() - booster->mean;
  std::vector<float> residuals;
  std::vector<float> ones(static_cast<size_t>(targets.size()), 1.0F);
  for (int tree = 0; tree < settings.trees; ++tree) {
    residuals_into(booster->raw(matrix), around_mean, residuals);
    checked(XGBoosterBoostOneIter(booster->handle, matrix.get(), residuals.data(), ones.data(), residuals.size()));
    settings.progress(static_cast<double>(tree + 1) / settings.trees);
  }
  return BoostedTrees(std::move(booster));
}

std::string xgboost_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace summand::lab
