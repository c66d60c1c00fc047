#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/layers/packed_linear.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/table.hpp"

namespace summand::serve::live {

/// Reads sums back as lab::SumDecoder does, for a page that waits: the tables are prepared once, and the products are
/// the engine's. Of all combinations of a token, a position and a segment it finds the nearest, exactly: a token is
/// passed over only where the triangle inequality says that no position and segment brings it near enough.
///
/// Thread-safety: const members may be called from several threads at once.
class SumReader {
 public:
  /// @param tokens, positions, segments  [rows, hidden], as they lie in the checkpoint
  SumReader(const lab::Table& tokens, const lab::Table& positions, const lab::Table& segments);

  /// @param sums   [items, hidden], in place of the sums of `truth`
  /// @param truth  what each was made of
  /// @return [items], as from lab::SumDecoder::decode() of lab::Seen::sum
  [[nodiscard]] std::vector<lab::Decoded> read(const lab::Table& sums, std::span<const lab::SumItem> truth,
                                               int threads) const;

 private:
  using Index = Eigen::Index;
  struct Best;
  struct Search;
  [[nodiscard]] Search begin(const lab::Table& sums, std::span<const lab::SumItem> truth) const;
  /// Of every sum the nearest other combination that has its own token.
  [[nodiscard]] std::vector<Best> nearest_of_own_token(const Search& search) const;
  /// The nearest other combination among tokens [first, last), if it is nearer than the best.
  [[nodiscard]] std::vector<Best> nearest_among(const Search& search, Index first, Index last,
                                                std::vector<Best> best) const;
  /// Looks at one token and all long joint rows, or all others. @param products  of the token with these rows
  void look(const Search& search, size_t sum, Index token, float of_token, const float* products, bool is_long,
            Best& best) const;
  /// Of a sum less the common row from a combination.
  [[nodiscard]] double distance(const Eigen::RowVectorXd& sum, Index token, Index place) const;

  Index segments_ = 0;
  std::vector<Index> joint_at_;       // [positions · segments]: the longest joint row first
  std::vector<Index> place_of_;       // [positions · segments]: where it stands in this order
  Index long_ = 0;                    // so many in front are longer than the others by far
  Eigen::RowVectorXd common_;         // [hidden], sum of the three mean rows
  lab::FloatTable tokens_;            // [vocabulary, hidden], centred
  lab::FloatTable joint_;             // [positions · segments, hidden], centred, in that order
  Eigen::VectorXf token_squares_;     // [vocabulary]
  Eigen::RowVectorXf joint_squares_;  // [positions · segments]
  lab::FloatTable token_by_long_;     // [vocabulary, long_]
  engine::PackedLinear others_;       // [positions · segments - long_, hidden]
};

}  // namespace summand::serve::live
