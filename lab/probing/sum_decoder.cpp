#include "lab/probing/sum_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

/// Joint rows of like length, which stand one behind the other: no combination of a token with one of them lies further
/// from the token than the longest.
struct Group {
  Index first = 0;
  Index count = 0;
  double longest = 0;
};

/// What is searched for.
template <class T>
struct Search {
  TableOf<T> tokens;
  TableOf<T> joint;
  TableOf<T> vectors;
  std::vector<std::pair<Index, Index>> truth;  // token, joint row
  Seen what;
  std::vector<Group> groups;
  Eigen::Vector<T, Eigen::Dynamic> token_squares;
  Eigen::RowVector<T, Eigen::Dynamic> joint_squares;
  Eigen::Vector<T, Eigen::Dynamic> vector_squares;
  TableOf<T> of_joint;  // [vectors, joint]: what of the score does not depend on the token
};

/// The nearest joint row of one token, and how near; the true combination is passed over.
/// @param offset  of the first score among all joint rows
template <class Scores>
void take(const Scores& scores, Index token, Index offset, Index skip, Best& best) {
  const auto part = [&](Index first, Index count) {
    if (count == 0) return;
    const auto piece = scores.segment(first, count);
    if (!(piece.minCoeff() < best.score)) return;
    Index at = 0;
    best.score = piece.minCoeff(&at);
    best.token = token;
    best.joint = offset + first + at;
  };
  const Index here = skip - offset;
  if (here < 0 || here >= scores.size()) return part(0, scores.size());
  part(0, here);
  part(here + 1, scores.size() - here - 1);
}

/// Twice the products of tokens and joint rows; under Seen::normalised the inverse lengths of their sums instead.
template <class T, class Tokens>
TableOf<T> products_of(const Search<T>& search, const Tokens& tokens, const Eigen::Vector<T, Eigen::Dynamic>& squares,
                       const Group& group) {
  TableOf<T> products = 2 * (tokens * search.joint.middleRows(group.first, group.count).transpose());
  if (search.what == Seen::sum) return products;
  products.rowwise() += search.joint_squares.segment(group.first, group.count);
  products.colwise() += squares;
  return products.array().max(std::numeric_limits<T>::min()).sqrt().inverse();
}

/// The scores of one vector beside one token and every row of a group: less is nearer.
/// @param product  the token's row of products_of()
template <class T, class Row>
void score(const Search<T>& search, const Group& group, const Row& product, Index vector, Index token, T of_token,
           Best& best) {
  const auto& [true_token, true_joint] = search.truth[static_cast<size_t>(vector)];
  const Index skip = token == true_token ? true_joint : -1;
  const auto of_joint = search.of_joint.row(vector).segment(group.first, group.count).array();
  if (search.what == Seen::sum) {
    const T of_this = search.token_squares(token) - 2 * of_token;
    take(product.array() + (of_joint + of_this), token, group.first, skip, best);
  } else {
    take(-(product.array() * (of_joint + of_token)), token, group.first, skip, best);
  }
}

/// Whether no row of a group can bring a token nearer to a vector than the best: by the triangle inequality, with room
/// for what rounding does.
template <class T>
bool is_too_far(const Search<T>& search, const Group& group, Index vector, Index token, double of_token,
                const Best& best) {
  constexpr double kRoom = 2e-3;
  const double length = std::sqrt(static_cast<double>(search.vector_squares(vector)));
  const double token_length = std::sqrt(static_cast<double>(search.token_squares(token)));
  if (search.what == Seen::sum) {
    const double between = std::sqrt(std::max(0.0, length * length + token_length * token_length - 2 * of_token));
    const double least = between - group.longest - kRoom * (length + token_length);
    return least > 0 && least * least - length * length > best.score;
  }
  if (length * token_length == 0 || group.longest >= token_length) return false;
  // The sums lie within an angle of the token's row: the cosine of what is left of the angle to the vector.
  const double sine = group.longest / token_length;
  const double cosine = std::sqrt(1 - sine * sine);
  const double to_token = std::clamp(of_token / (length * token_length), -1.0, 1.0);
  if (to_token > cosine) return false;
  const double most = to_token * cosine + std::sqrt(1 - to_token * to_token) * sine + kRoom;
  return -length * most > best.score;
}

/// Of every vector the nearest other combination that has its token: most often the nearest of all.
template <class T>
std::vector<Best> nearest_of_own_token(const Search<T>& search) {
  std::vector<Best> best(search.truth.size());
  for (size_t begin = 0; begin < best.size(); begin += static_cast<size_t>(kTokens)) {
    const auto count = static_cast<Index>(std::min(best.size() - begin, static_cast<size_t>(kTokens)));
    std::vector<Index> own;
    for (Index i = 0; i < count; ++i) own.push_back(search.truth[begin + static_cast<size_t>(i)].first);
    const TableOf<T> tokens = search.tokens(own, Eigen::all);
    const Eigen::Vector<T, Eigen::Dynamic> squares = search.token_squares(own);
    for (const Group& group : search.groups) {
      const TableOf<T> products = products_of(search, tokens, squares, group);
      for (Index i = 0; i < count; ++i) {
        const auto vector = static_cast<Index>(begin) + i;
        const T of_token = search.vectors.row(vector).dot(tokens.row(i));
        score(search, group, products.row(i), vector, own[static_cast<size_t>(i)], of_token,
              best[static_cast<size_t>(vector)]);
      }
    }
  }
  return best;
}

/// The nearest other combination of every vector among one block of tokens, if it is nearer than the best.
template <class T>
std::vector<Best> search_block(const Search<T>& search, Index first, std::vector<Best> best) {
  const Index count = std::min(kTokens, search.tokens.rows() - first);
  const auto tokens = search.tokens.middleRows(first, count);
  const TableOf<T> of_token = search.vectors * tokens.transpose();  // [vectors, tokens of the block]
  for (const Group& group : search.groups) {
    TableOf<T> products;  // made where the first pair asks for them
    for (Index tile = 0; tile < search.vectors.rows(); tile += kVectors) {
      for (Index t = 0; t < count; ++t) {
        for (Index v = tile; v < std::min(search.vectors.rows(), tile + kVectors); ++v) {
          Best& own = best[static_cast<size_t>(v)];
          if (first + t == search.truth[static_cast<size_t>(v)].first) continue;  // searched before
          if (is_too_far(search, group, v, first + t, static_cast<double>(of_token(v, t)), own)) continue;
          if (products.size() == 0) {
            products = products_of<T>(search, tokens, search.token_squares.segment(first, count), group);
          }
          score(search, group, products.row(t), v, first + t, of_token(v, t), own);
        }
      }
    }
  }
  return best;
}

/// The rows from short to long.
std::vector<Index> by_length(const FloatTable& rows) {
  const Eigen::VectorXf squares = rows.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index row) { return squares(row); });
  return order;
}

/// Ordinary rows, and those that are longer by far: a few of them would keep every token near.
/// @param squares  of rows from short to long
template <class Squares>
std::vector<Group> groups_of(const Squares& squares) {
  constexpr double kLong = 2;  // times the length of the row in the middle
  const Index rows = squares.size();
  const double most = kLong * kLong * static_cast<double>(squares(rows / 2));
  Index ordinary = rows;
  while (ordinary > 0 && static_cast<double>(squares(ordinary - 1)) > most) --ordinary;
  std::vector<Group> groups;
  for (const auto& [first, count] : {std::pair(Index{0}, ordinary), std::pair(ordinary, rows - ordinary)}) {
    if (count == 0) continue;
    groups.push_back({first, count, std::sqrt(static_cast<double>(squares(first + count - 1)))});
  }
  return groups;
}

/// The nearest other combination of every vector.
template <class T>
std::vector<Best> search_all(const FloatTable& tokens, const FloatTable& joint, const FloatTable& vectors,
                             std::vector<std::pair<Index, Index>> truth, Seen what, int threads) {
  const auto order = by_length(joint);
  std::vector<Index> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<Index>(i);
  for (auto& [token, row] : truth) row = place[static_cast<size_t>(row)];
  Search<T> search{.tokens = tokens.cast<T>(),
                   .joint = joint(order, Eigen::all).template cast<T>(),
                   .vectors = vectors.cast<T>(),
                   .truth = std::move(truth),
                   .what = what,
                   .groups = {},
                   .token_squares = {},
                   .joint_squares = {},
                   .vector_squares = {},
                   .of_joint = {}};
  search.token_squares = search.tokens.rowwise().squaredNorm();
  search.joint_squares = search.joint.rowwise().squaredNorm().transpose();
  search.vector_squares = search.vectors.rowwise().squaredNorm();
  search.groups = groups_of(search.joint_squares);
  search.of_joint = search.vectors * search.joint.transpose();
  if (what == Seen::sum) search.of_joint = ((-2 * search.of_joint).rowwise() + search.joint_squares).eval();
  std::vector<Best> best = nearest_of_own_token(search);
  const auto blocks = static_cast<size_t>((tokens.rows() + kTokens - 1) / kTokens);
  std::vector<std::vector<Best>> of_blocks(blocks);
  ThreadPool::shared().run(blocks, threads, [&](size_t block, int) {
    of_blocks[block] = search_block(search, static_cast<Index>(block) * kTokens, best);
  });
  for (const auto& of_block : of_blocks) {
    for (size_t i = 0; i < best.size(); ++i) {
      if (of_block[i].score < best[i].score) best[i] = of_block[i];
    }
  }
  for (Best& one : best) one.joint = order[static_cast<size_t>(one.joint)];
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
  const FloatTable with_common = tokens_.rowwise() + common_;
  return {without_row_means(with_common), without_row_means(joint_)};
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
