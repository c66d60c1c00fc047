#include "lab/explorer/strength_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/thread_pool.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

// A few rows (the first position's, the last one's) are much longer than the others: each is looked at by itself, so
// that the bound for all others is a close one.
constexpr Index kLongRows = 32;

// Squared distances in float are off by less than this part of the vectors' squared lengths, and of themselves.
constexpr float kRounding = 1e-5F;
constexpr float kSlack = 1.001F;

FloatTable without_row_means(const FloatTable& table) {
  const Eigen::VectorXf means = table.rowwise().mean();
  return table.colwise() - means;
}

}  // namespace

StrengthDecoder::StrengthDecoder(const Table& tokens, const Table& positions, const Table& segments,
                                 std::vector<SumItem> items)
    : tokens_(tokens), positions_(positions), segments_(segments), items_(std::move(items)) {
  const FloatTable w = centred(tokens).cast<float>();
  const FloatTable p = centred(positions).cast<float>();
  const FloatTable s = centred(segments).cast<float>();
  const Index rows = p.rows() * s.rows();
  FloatTable joint(rows, w.cols());
  for (Index i = 0; i < rows; ++i) joint.row(i) = p.row(i / s.rows()) + s.row(i % s.rows());
  const Eigen::VectorXf squares = joint.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return squares(a) > squares(b); });
  joint_ = joint(order, Eigen::all);
  joint_squares_ = squares(order);
  const auto count = static_cast<Index>(items_.size());
  token_rows_.resize(count, w.cols());
  position_rows_.resize(count, w.cols());
  segment_rows_.resize(count, w.cols());
  for (Index i = 0; i < count; ++i) {
    const auto& item = items_[static_cast<size_t>(i)];
    token_rows_.row(i) = w.row(item.token);
    position_rows_.row(i) = p.row(item.position);
    segment_rows_.row(i) = s.row(item.segment);
    own_.push_back(std::ranges::find(order, item.position * s.rows() + item.segment) - order.begin());
  }
  token_squares_ = w.rowwise().squaredNorm();
  token_by_fixed_ = w * (token_rows_ + segment_rows_).transpose();
  token_by_position_ = w * position_rows_.transpose();
  token_by_long_ = w * joint_.topRows(std::min(kLongRows, rows)).transpose();
  set_directions(w);
}

void StrengthDecoder::set_directions(const FloatTable& tokens) {
  const Eigen::RowVectorXf common =
      (column_means(tokens_) + column_means(positions_) + column_means(segments_)).transpose().cast<float>();
  const FloatTable w = without_row_means(tokens.rowwise() + common);
  auto& own = directions_;
  own.joint = without_row_means(joint_);
  own.fixed_rows = without_row_means((token_rows_ + segment_rows_).rowwise() + common);
  own.position_rows = without_row_means(position_rows_);
  own.token_squares = w.rowwise().squaredNorm();
  own.joint_squares = own.joint.rowwise().squaredNorm();
  own.token_by_fixed = w * own.fixed_rows.transpose();
  own.token_by_position = w * own.position_rows.transpose();
  own.token_by_long = w * own.joint.topRows(token_by_long_.cols()).transpose();
}

void StrengthDecoder::mark_near(size_t item, float strength, std::vector<char>& near) const {
  const auto at = static_cast<Index>(item);
  const Eigen::RowVectorXf rest = segment_rows_.row(at) + strength * position_rows_.row(at);
  const Eigen::RowVectorXf x = token_rows_.row(at) + rest;
  Eigen::VectorXf others = (joint_.rowwise() - rest).rowwise().squaredNorm();
  others(own_[item]) = std::numeric_limits<float>::infinity();
  const float longest = std::max(x.squaredNorm(), token_squares_.maxCoeff()) + joint_squares_(0);
  // The own token at another position or segment is this near: farther tokens do not matter.
  const float least = kSlack * others.minCoeff() + kRounding * longest;
  const Eigen::ArrayXf squares =
      (token_squares_ - 2 * token_by_fixed_.col(at) - 2 * strength * token_by_position_.col(at)).array() +
      x.squaredNorm();
  const Index long_rows = token_by_long_.cols();
  const float radius = long_rows < joint_.rows() ? std::sqrt(least) + std::sqrt(joint_squares_(long_rows)) : -1.0F;
  const auto mark = [&](const auto& is_near) {
    for (Index t = 0; t < squares.size(); ++t) {
      if (is_near(t)) near[static_cast<size_t>(t)] = 1;
    }
  };
  if (radius >= 0) mark([&](Index t) { return squares(t) <= kSlack * radius * radius; });
  for (Index row = 0; row < long_rows; ++row) {
    const float own = joint_squares_(row) - 2 * x.dot(joint_.row(row));
    mark([&](Index t) { return squares(t) + 2 * token_by_long_(t, row) + own <= least; });
  }
  near[static_cast<size_t>(items_[item].token)] = 1;
}

// A combination y is nearer to x than the own token at another position, at the cosine c, only if what of y lies beside
// x is at most tan(acos c) times what of it lies along x: along is the sum of the token's and of the joint row's, and
// beside at least their difference.
void StrengthDecoder::mark_near_direction(size_t item, float strength, std::vector<char>& near) const {
  const auto at = static_cast<Index>(item);
  const auto& own = directions_;
  const auto mark = [&](const auto& is_near) {
    for (size_t t = 0; t < near.size(); ++t) {
      if (is_near(static_cast<Index>(t))) near[t] = 1;
    }
  };
  const Eigen::RowVectorXf x = own.fixed_rows.row(at) + strength * own.position_rows.row(at);
  const float length = x.norm();
  const Eigen::RowVectorXf fixed = own.fixed_rows.row(at) - without_row_means(segment_rows_.row(at));
  const FloatTable others = own.joint.rowwise() + fixed;
  Eigen::ArrayXf cosines = (others * x.transpose()).array() / (length * others.rowwise().norm().array()).max(1e-30F);
  cosines(own_[item]) = -1;
  const float cosine = cosines.maxCoeff() - kRounding;
  if (length == 0 || cosine <= 0) return mark([](Index) { return true; });
  const float tangent = std::sqrt(1 - cosine * cosine) / cosine;
  const auto beside = [](const Eigen::ArrayXf& squares, const Eigen::ArrayXf& along, float of_squares) {
    return Eigen::ArrayXf((of_squares * squares - along.square()).max(0).sqrt());
  };
  const Eigen::ArrayXf along = (own.token_by_fixed.col(at) + strength * own.token_by_position.col(at)).array() / length;
  const Eigen::ArrayXf joint_along = (own.joint * x.transpose()).array() / length;
  const Index long_rows = own.token_by_long.cols();
  const Index short_rows = own.joint.rows() - long_rows;
  if (short_rows > 0) {
    const Eigen::ArrayXf reach = beside(own.joint_squares, joint_along, 1 + kRounding) + tangent * joint_along;
    const float most = reach.tail(short_rows).maxCoeff() + kRounding * length;
    const Eigen::ArrayXf needs = beside(own.token_squares, along, 1 - kRounding) - tangent * along;
    mark([&](Index t) { return needs(t) <= most + kRounding * std::sqrt(own.token_squares(t)); });
  }
  for (Index row = 0; row < long_rows; ++row) {
    const Eigen::ArrayXf squares =
        own.token_squares.array() + 2 * own.token_by_long.col(row).array() + own.joint_squares(row);
    mark([&](Index t) {
      const float rounding = kRounding * (own.token_squares(t) + own.joint_squares(row));
      const float longest = std::sqrt(std::max(squares(t) - rounding, 0.0F));
      return along(t) + joint_along(row) >= cosine * longest / kSlack - std::sqrt(kRounding * rounding);
    });
  }
  near[static_cast<size_t>(items_[item].token)] = 1;
}

std::vector<Index> StrengthDecoder::near_tokens(float strength, Seen what, int threads) const {
  const auto vocabulary = static_cast<size_t>(tokens_.rows());
  std::vector<std::vector<char>> near(items_.size(), std::vector<char>(vocabulary));
  ThreadPool::shared().run(items_.size(), threads, [&](size_t item, int) {
    if (what == Seen::sum) {
      mark_near(item, strength, near[item]);
    } else {
      mark_near_direction(item, strength, near[item]);
    }
  });
  std::vector<Index> tokens;
  for (size_t t = 0; t < vocabulary; ++t) {
    if (std::ranges::any_of(near, [&](const auto& of_item) { return of_item[t] != 0; })) {
      tokens.push_back(static_cast<Index>(t));
    }
  }
  return tokens;
}

std::vector<Decoded> StrengthDecoder::decode(double strength, Seen what, int threads) const {
  const auto near = near_tokens(static_cast<float>(strength), what, threads);
  const Table tokens = tokens_(near, Eigen::all);
  const Eigen::RowVectorXd mean = positions_.colwise().mean();
  FloatTable vectors(static_cast<Index>(items_.size()), tokens_.cols());
  std::vector<SumItem> truth = items_;
  for (size_t i = 0; i < items_.size(); ++i) {
    const auto& [token, position, segment] = items_[i];
    vectors.row(static_cast<Index>(i)) =
        (tokens_.row(token) + mean + strength * (positions_.row(position) - mean) + segments_.row(segment))
            .cast<float>();
    truth[i].token = std::ranges::lower_bound(near, token) - near.begin();
  }
  if (what == Seen::normalised) vectors = without_row_means(vectors);  // the decoder takes angles: any length will do
  auto decoded = SumDecoder(tokens, positions_, segments_).decode(vectors, truth, what, threads);
  for (auto& one : decoded) one.other.token = near[static_cast<size_t>(one.other.token)];
  return decoded;
}

}  // namespace summand::lab
