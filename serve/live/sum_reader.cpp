#include "serve/live/sum_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/matrix_view.hpp"
#include "base/thread_pool.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "lab/statistics/moments.hpp"
#include "model/tensor.hpp"

namespace summand::serve::live {

namespace {

using Eigen::Index;
using lab::FloatTable;
using lab::SumItem;
using lab::Table;

constexpr Index kMostLong = 64;  // joint rows whose products with all tokens are kept
constexpr double kLong = 2;      // times the length of the row in the middle
constexpr Index kBlock = 64;     // tokens whose products are made at once
constexpr Index kOfTask = 1024;  // tokens
constexpr float kRoom = 2e-3F;   // of the lengths: what rounding may do to a distance

/// Joint rows from long to short.
std::vector<Index> by_length(const FloatTable& rows) {
  const Eigen::VectorXf squares = rows.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return squares(a) > squares(b); });
  return order;
}

FloatTable joint_rows(const Table& positions, const Table& segments) {
  const Table p = lab::centred(positions);
  const Table s = lab::centred(segments);
  FloatTable joint(p.rows() * s.rows(), p.cols());
  for (Index row = 0; row < joint.rows(); ++row) {
    joint.row(row) = (p.row(row / s.rows()) + s.row(row % s.rows())).cast<float>();
  }
  return joint;
}

template <class Rows>
model::Tensor tensor_of(const Rows& rows) {
  const FloatTable values = rows;
  return model::make_tensor({static_cast<size_t>(values.rows()), static_cast<size_t>(values.cols())},
                            std::span(values.data(), static_cast<size_t>(values.size())));
}

/// The rows as the columns of a product.
template <class Rows>
engine::PackedLinear packed(const Rows& rows) {
  const std::vector<float> none(static_cast<size_t>(rows.rows()));
  return {tensor_of(rows), model::make_tensor({none.size()}, none)};
}

/// rows · packedᵀ, on this thread.
FloatTable products(const FloatTable& rows, const engine::PackedLinear& by) {
  FloatTable out(rows.rows(), static_cast<Index>(by.out()));
  if (out.size() == 0) return out;
  const auto& set = engine::chosen_kernel_set();
  const engine::KernelScope scope(set);
  by.multiply(*set.single_precision,
              MatrixView<const float>(rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols())),
              MatrixView<float>(out.data(), static_cast<size_t>(out.rows()), static_cast<size_t>(out.cols())));
  return out;
}

}  // namespace

/// Less is nearer: the squared distance less the sum's own square.
struct SumReader::Best {
  float score = std::numeric_limits<float>::infinity();
  Index token = 0;
  Index place = 0;
};

/// What is looked for.
struct SumReader::Search {
  Table sums;                                  ///< [sums, hidden], less the common row
  engine::PackedLinear packed_sums;            ///< the same
  std::vector<std::pair<Index, Index>> truth;  ///< token, place of the joint row
  Eigen::VectorXf squares;                     ///< [sums]
  FloatTable of_joint;                         ///< [sums, joint rows]: what of a score does not depend on the token
};

SumReader::SumReader(const Table& tokens, const Table& positions, const Table& segments)
    : segments_(segments.rows()),
      common_((lab::column_means(tokens) + lab::column_means(positions) + lab::column_means(segments)).transpose()),
      tokens_(lab::centred(tokens).cast<float>()),
      joint_(joint_rows(positions, segments)),
      others_(packed(joint_.topRows(0))) {
  joint_at_ = by_length(joint_);
  place_of_.resize(joint_at_.size());
  for (size_t place = 0; place < joint_at_.size(); ++place) {
    place_of_[static_cast<size_t>(joint_at_[place])] = static_cast<Index>(place);
  }
  joint_ = joint_(joint_at_, Eigen::all).eval();
  token_squares_ = tokens_.rowwise().squaredNorm();
  joint_squares_ = joint_.rowwise().squaredNorm().transpose();
  const double bar = kLong * kLong * static_cast<double>(joint_squares_(joint_.rows() / 2));
  while (long_ < std::min(kMostLong, joint_.rows()) && static_cast<double>(joint_squares_(long_)) > bar) ++long_;
  token_by_long_ = products(tokens_, packed(joint_.topRows(long_)));
  others_ = packed(joint_.bottomRows(joint_.rows() - long_));
}

SumReader::Search SumReader::begin(const Table& sums, std::span<const SumItem> truth) const {
  const Table less_common = sums.rowwise() - common_;
  const FloatTable rounded = less_common.cast<float>();
  Search search{.sums = less_common,
                .packed_sums = packed(rounded),
                .truth = {},
                .squares = rounded.rowwise().squaredNorm(),
                .of_joint = FloatTable(sums.rows(), joint_.rows())};
  for (const auto& [token, position, segment] : truth) {
    search.truth.emplace_back(token, place_of_[static_cast<size_t>(position * segments_ + segment)]);
  }
  search.of_joint.leftCols(long_) = rounded * joint_.topRows(long_).transpose();
  search.of_joint.rightCols(joint_.rows() - long_) = products(rounded, others_);
  search.of_joint = ((-2 * search.of_joint).rowwise() + joint_squares_).eval();
  return search;
}

void SumReader::look(const Search& search, size_t sum, Index token, float of_token, const float* products, bool is_long,
                     Best& best) const {
  const Index first = is_long ? 0 : long_;
  const Index count = is_long ? long_ : joint_.rows() - long_;
  const auto& [true_token, true_place] = search.truth[sum];
  const Index skipped = token == true_token ? true_place - first : -1;
  const float* of_joint = search.of_joint.row(static_cast<Index>(sum)).data() + first;
  const auto look_at = [&](Index begin, Index end) {
    if (begin >= end) return;
    using Row = Eigen::Map<const Eigen::ArrayXf>;
    const auto scores = 2 * Row(products + begin, end - begin) + Row(of_joint + begin, end - begin);
    if (!(of_token + scores.minCoeff() < best.score)) return;
    Index at = 0;
    best.score = of_token + scores.minCoeff(&at);
    best.token = token;
    best.place = first + begin + at;
  };
  if (skipped < 0 || skipped >= count) return look_at(0, count);
  look_at(0, skipped);
  look_at(skipped + 1, count);
}

std::vector<SumReader::Best> SumReader::nearest_of_own_token(const Search& search) const {
  std::vector<Index> own;
  for (const auto& truth : search.truth) own.push_back(truth.first);
  const FloatTable rows = tokens_(own, Eigen::all);
  const FloatTable by_others = products(rows, others_);
  const FloatTable by_sums = products(rows, search.packed_sums);
  std::vector<Best> best(own.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const float of_token = token_squares_(own[i]) - 2 * by_sums(row, row);
    look(search, i, own[i], of_token, token_by_long_.row(own[i]).data(), true, best[i]);
    look(search, i, own[i], of_token, by_others.row(row).data(), false, best[i]);
  }
  return best;
}

std::vector<SumReader::Best> SumReader::nearest_among(const Search& search, Index first, Index last,
                                                      std::vector<Best> best) const {
  const float longest = std::sqrt(joint_squares_(0));
  const float longest_of_others = long_ < joint_.rows() ? std::sqrt(joint_squares_(long_)) : 0;
  const float longest_token = std::sqrt(token_squares_.segment(first, last - first).maxCoeff());
  // No token farther from a sum than this has a combination that is nearer than the best.
  const auto reach = [&](size_t i, float joint) {
    const float own = search.squares(static_cast<Index>(i));
    const float radius =
        std::sqrt(std::max(best[i].score + own, 0.0F)) + joint + kRoom * (std::sqrt(own) + longest_token);
    return radius * radius - own;
  };
  std::vector<float> most(best.size());
  for (Index begin = first; begin < last; begin += kBlock) {
    const Index count = std::min(kBlock, last - begin);
    const FloatTable rows = tokens_.middleRows(begin, count);
    const FloatTable by_sums = products(rows, search.packed_sums);
    FloatTable by_others;  // made where the first sum asks for them
    for (size_t i = 0; i < best.size(); ++i) most[i] = reach(i, longest);
    for (Index t = 0; t < count; ++t) {
      const Index token = begin + t;
      for (size_t i = 0; i < best.size(); ++i) {
        const float of_token = token_squares_(token) - 2 * by_sums(t, static_cast<Index>(i));
        if (of_token > most[i] || token == search.truth[i].first) continue;
        look(search, i, token, of_token, token_by_long_.row(token).data(), true, best[i]);
        if (of_token > reach(i, longest_of_others)) continue;
        if (by_others.size() == 0) by_others = products(rows, others_);
        look(search, i, token, of_token, by_others.row(t).data(), false, best[i]);
        most[i] = reach(i, longest);
      }
    }
  }
  return best;
}

double SumReader::distance(const Eigen::RowVectorXd& sum, Index token, Index place) const {
  return (sum - tokens_.row(token).cast<double>() - joint_.row(place).cast<double>()).norm();
}

std::vector<lab::Decoded> SumReader::read(const Table& sums, std::span<const SumItem> truth, int threads) const {
  if (truth.empty()) return {};
  const Search search = begin(sums, truth);
  std::vector<Best> best = nearest_of_own_token(search);
  const auto tasks = static_cast<size_t>((tokens_.rows() + kOfTask - 1) / kOfTask);
  std::vector<std::vector<Best>> of_tasks(tasks);
  ThreadPool::shared().run(tasks, threads, [&](size_t task, int) {
    const Index first = static_cast<Index>(task) * kOfTask;
    of_tasks[task] = nearest_among(search, first, std::min(first + kOfTask, tokens_.rows()), best);
  });
  std::vector<lab::Decoded> decoded(truth.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    for (const auto& of_task : of_tasks) {
      if (of_task[i].score < best[i].score) best[i] = of_task[i];
    }
    const Index joint = joint_at_[static_cast<size_t>(best[i].place)];
    const SumItem other{.token = best[i].token, .position = joint / segments_, .segment = joint % segments_};
    const auto row = static_cast<Index>(i);
    const double to_truth = distance(search.sums.row(row), search.truth[i].first, search.truth[i].second);
    const double to_other = distance(search.sums.row(row), best[i].token, best[i].place);
    const double length = sums.row(row).norm();
    const bool exact = to_truth < to_other;
    decoded[i] = {.other = other,
                  .margin = length > 0 ? (to_other - to_truth) / length : 0,
                  .exact = exact,
                  .token = exact || other.token == truth[i].token,
                  .position = exact || other.position == truth[i].position,
                  .segment = exact || other.segment == truth[i].segment};
  }
  return decoded;
}

}  // namespace summand::serve::live
