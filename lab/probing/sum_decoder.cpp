#include "lab/probing/sum_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/thread_pool.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kTokens = 64;   // of a block: its products with all joint rows stay in the second-level cache
constexpr Index kVectors = 32;  // of a tile, for the same reason

/// Rows of at most this width are searched in double: narrow ones lie so close, and may so nearly cancel, that float
/// does not tell them apart.
constexpr Index kNarrow = 64;

template <class T>
using TableOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The best combination so far; less is nearer.
struct Best {
  double score = std::numeric_limits<double>::infinity();
  Index token = 0;
  Index joint = 0;
};

/// What is searched for.
template <class T>
struct Search {
  TableOf<T> tokens;
  TableOf<T> joint;
  TableOf<T> vectors;
  const std::vector<std::pair<Index, Index>>& truth;  // token, joint row
  Seen what;
  Eigen::Vector<T, Eigen::Dynamic> token_squares;
  Eigen::RowVector<T, Eigen::Dynamic> joint_squares;
  TableOf<T> of_joint;  // [vectors, joint]: what of the score does not depend on the token
};

/// The nearest joint row of one token, and how near; the true combination is passed over.
template <class Scores>
void take(const Scores& scores, Index token, Index skip, Best& best) {
  const auto part = [&](Index first, Index count) {
    if (count == 0) return;
    const auto piece = scores.segment(first, count);
    if (!(piece.minCoeff() < best.score)) return;
    Index at = 0;
    best.score = piece.minCoeff(&at);
    best.token = token;
    best.joint = first + at;
  };
  if (skip < 0) return part(0, scores.size());
  part(0, skip);
  part(skip + 1, scores.size() - skip - 1);
}

/// The nearest other combination of every vector among one block of tokens.
template <class T>
std::vector<Best> search_block(const Search<T>& search, Index first) {
  const Index count = std::min(kTokens, search.tokens.rows() - first);
  const auto tokens = search.tokens.middleRows(first, count);
  TableOf<T> products = 2 * (tokens * search.joint.transpose());
  const TableOf<T> of_token = search.vectors * tokens.transpose();  // [vectors, tokens of the block]
  if (search.what == Seen::normalised) {
    products.rowwise() += search.joint_squares;
    products.colwise() += search.token_squares.segment(first, count);
    products = products.array().max(std::numeric_limits<T>::min()).sqrt().inverse();
  }
  std::vector<Best> best(static_cast<size_t>(search.vectors.rows()));
  for (Index tile = 0; tile < search.vectors.rows(); tile += kVectors) {
    for (Index t = 0; t < count; ++t) {
      for (Index v = tile; v < std::min(search.vectors.rows(), tile + kVectors); ++v) {
        const auto& [true_token, true_joint] = search.truth[static_cast<size_t>(v)];
        const Index skip = first + t == true_token ? true_joint : -1;
        const auto row = products.row(t).array();
        const auto of_joint = search.of_joint.row(v).array();
        Best& own = best[static_cast<size_t>(v)];
        if (search.what == Seen::sum) {
          const T of_this = search.token_squares(first + t) - 2 * of_token(v, t);
          take(row + (of_joint + of_this), first + t, skip, own);
        } else {
          take(-(row * (of_joint + of_token(v, t))), first + t, skip, own);
        }
      }
    }
  }
  return best;
}

/// The nearest other combination of every vector.
template <class T>
std::vector<Best> search_all(const FloatTable& tokens, const FloatTable& joint, const FloatTable& vectors,
                             const std::vector<std::pair<Index, Index>>& truth, Seen what, int threads) {
  Search<T> search{.tokens = tokens.cast<T>(),
                   .joint = joint.cast<T>(),
                   .vectors = vectors.cast<T>(),
                   .truth = truth,
                   .what = what,
                   .token_squares = {},
                   .joint_squares = {},
                   .of_joint = {}};
  search.token_squares = search.tokens.rowwise().squaredNorm();
  search.joint_squares = search.joint.rowwise().squaredNorm().transpose();
  search.of_joint = search.vectors * search.joint.transpose();
  if (what == Seen::sum) search.of_joint = ((-2 * search.of_joint).rowwise() + search.joint_squares).eval();
  const auto blocks = static_cast<size_t>((tokens.rows() + kTokens - 1) / kTokens);
  std::vector<std::vector<Best>> of_blocks(blocks);
  ThreadPool::shared().run(blocks, threads, [&](size_t block, int) {
    of_blocks[block] = search_block(search, static_cast<Index>(block) * kTokens);
  });
  std::vector<Best> best(truth.size());
  for (const auto& of_block : of_blocks) {
    for (size_t i = 0; i < best.size(); ++i) {
      if (of_block[i].score < best[i].score) best[i] = of_block[i];
    }
  }
  return best;
}

/// Every row less the mean of its own coordinates.
FloatTable without_row_means(const FloatTable& table) {
  const Eigen::VectorXf means = table.rowwise().mean();
  return table.colwise() - means;
}

}  // namespace

struct SumDecoder::Tables {
  FloatTable tokens;
  FloatTable joint;

  /// Distance of a vector from a combination; of two vectors of length 1 under Seen::normalised.
  [[nodiscard]] double distance(const Eigen::RowVectorXd& vector, Index token, Index row, Seen what) const {
    const Eigen::RowVectorXd x = tokens.row(token).cast<double>() + joint.row(row).cast<double>();
    if (what == Seen::sum) return (vector - x).norm();
    const double length = x.norm() * vector.norm();
    return length > 0 ? (vector / vector.norm() - x / x.norm()).norm() : 0;
  }
};

double exact_rate(std::span<const Decoded> decoded) {
  if (decoded.empty()) return 0;
  return static_cast<double>(std::ranges::count(decoded, true, &Decoded::exact)) / static_cast<double>(decoded.size());
}

SumDecoder::SumDecoder(const Table& tokens, const Table& positions, const Table& segments)
    : segments_(segments.rows()),
      tokens_(centred(tokens).cast<float>()),
      joint_(positions.rows() * segments.rows(), tokens.cols()),
      common_((column_means(tokens) + column_means(positions) + column_means(segments)).transpose().cast<float>()) {
  const Table p = centred(positions);
  const Table s = centred(segments);
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index k = 0; k < s.rows(); ++k) joint_.row(i * segments_ + k) = (p.row(i) + s.row(k)).cast<float>();
  }
}

SumDecoder::Tables SumDecoder::tables(Seen what) const {
  if (what == Seen::sum) return {tokens_, joint_};
  const FloatTable with_common = joint_.rowwise() + common_;
  return {without_row_means(tokens_), without_row_means(with_common)};
}

FloatTable SumDecoder::seen(std::span<const SumItem> items, Seen what) const {
  FloatTable vectors(static_cast<Index>(items.size()), tokens_.cols());
  for (size_t i = 0; i < items.size(); ++i) {
    vectors.row(static_cast<Index>(i)) = common_ + tokens_.row(items[i].token) + joint_.row(joint(items[i]));
  }
  if (what == Seen::sum) return vectors;
  FloatTable normalised = without_row_means(vectors);
  for (Index i = 0; i < normalised.rows(); ++i) {
    const float deviation = std::sqrt(normalised.row(i).squaredNorm() / static_cast<float>(normalised.cols()));
    if (deviation > 0) normalised.row(i) /= deviation;
  }
  return normalised;
}

std::vector<Decoded> SumDecoder::decode(const FloatTable& vectors, std::span<const SumItem> truth, Seen what,
                                        int threads) const {
  const Tables own = tables(what);
  const FloatTable searched = what == Seen::sum ? FloatTable(vectors.rowwise() - common_) : without_row_means(vectors);
  std::vector<std::pair<Index, Index>> pairs;
  for (const auto& item : truth) pairs.emplace_back(item.token, joint(item));
  const auto best = tokens_.cols() <= kNarrow
                        ? search_all<double>(own.tokens, own.joint, searched, pairs, what, threads)
                        : search_all<float>(own.tokens, own.joint, searched, pairs, what, threads);
  std::vector<Decoded> decoded(truth.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    const Best& nearest = best[i];
    const Eigen::RowVectorXd vector = searched.row(static_cast<Index>(i)).cast<double>();
    const double to_truth = own.distance(vector, pairs[i].first, pairs[i].second, what);
    const double to_other = own.distance(vector, nearest.token, nearest.joint, what);
    const double length = what == Seen::sum ? vectors.row(static_cast<Index>(i)).cast<double>().norm() : 1;
    Decoded& result = decoded[i];
    result.other = {nearest.token, nearest.joint / segments_, nearest.joint % segments_};
    result.margin = length > 0 ? (to_other - to_truth) / length : 0;
    result.exact = to_truth < to_other;
    result.token = result.exact || result.other.token == truth[i].token;
    result.position = result.exact || result.other.position == truth[i].position;
    result.segment = result.exact || result.other.segment == truth[i].segment;
  }
  return decoded;
}

}  // namespace summand::lab
