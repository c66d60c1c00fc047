#pragma once

#include <vector>

#include "lab/probing/input_parts.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Decodes the sums of some items while the strength of their position part changes. Exact, as SumDecoder is, which it
/// hands only the tokens that may matter: for a joint row Q of position and segment, ‖x − W − Q‖ ≥ ‖x − W‖ − ‖Q‖, by
/// which most tokens W are farther from x than the item's own token at another position. Behind normalisation angles
/// count, not distances, and what is beside x's own direction takes the place of ‖x − W‖ and ‖Q‖.
class StrengthDecoder {
 public:
  /// @param tokens, positions, segments  keeps references to them
  StrengthDecoder(const Table& tokens, const Table& positions, const Table& segments, std::vector<SumItem> items);

  /// @return one for each item, of common + token + strength · position + segment, the parts centred; independent of
  ///   `threads`
  /// Under Seen::normalised that sum is normalised, and so are the unchanged ones that it is sought among.
  [[nodiscard]] std::vector<Decoded> decode(double strength, Seen what, int threads) const;

 private:
  /// Rows less the mean of their own coordinates: what normalisation leaves but for the length.
  struct Directions {
    FloatTable joint;                   // as joint_
    FloatTable fixed_rows;              // [items, hidden], common + token + segment
    FloatTable position_rows;           // [items, hidden]
    Eigen::VectorXf token_squares;      // [vocabulary], of common + token
    Eigen::VectorXf joint_squares;      // as joint
    Eigen::MatrixXf token_by_fixed;     // [vocabulary, items], likewise, and so below
    Eigen::MatrixXf token_by_position;  // [vocabulary, items]
    Eigen::MatrixXf token_by_long;      // [vocabulary, the longest of joint_]
  };
  /// @param tokens  centred
  void set_directions(const FloatTable& tokens);
  /// Rows of the token table that may be in any item's nearest other combination, ascending; the items' own too.
  [[nodiscard]] std::vector<Eigen::Index> near_tokens(float strength, Seen what, int threads) const;
  /// Adds those of one item to `near`, [vocabulary].
  void mark_near(size_t item, float strength, std::vector<char>& near) const;
  void mark_near_direction(size_t item, float strength, std::vector<char>& near) const;

  const Table& tokens_;
  const Table& positions_;
  const Table& segments_;
  std::vector<SumItem> items_;
  FloatTable joint_;               // [positions · segments, hidden], centred, the longest first
  std::vector<Eigen::Index> own_;  // [items], rows of joint_
  FloatTable token_rows_;          // [items, hidden], centred, and so below
  FloatTable position_rows_;
  FloatTable segment_rows_;
  Eigen::VectorXf token_squares_;      // [vocabulary]
  Eigen::VectorXf joint_squares_;      // as joint_
  Eigen::MatrixXf token_by_fixed_;     // [vocabulary, items]: products with token + segment
  Eigen::MatrixXf token_by_position_;  // [vocabulary, items]
  Eigen::MatrixXf token_by_long_;      // [vocabulary, the longest of joint_]
  Directions directions_;
};

}  // namespace summand::lab
