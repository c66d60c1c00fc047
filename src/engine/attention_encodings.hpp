#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "engine/number_formats.hpp"
#include "model/attention_kind.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// Tokens of one text whose queries are asked, and all of its tokens, whose keys and values are: places within the
/// text.
struct AskedTokens {
  size_t text = 0;
  std::vector<size_t> places;  ///< of the queries
};

/// What tells attention itself positions and segments, ready for the engine. What only adds a number that depends on
/// the distance, or turns queries and keys, is added or turned on the way; all else is computed in single precision by
/// its formula in model/attention, text by text and head by head.
class AttentionEncodings {
 public:
  /// @throws CheckpointError if a parameter is missing
  AttentionEncodings(const model::Config& config, const model::Weights& weights);

  /// Whether attention is not BERT's: there is something to add, to turn or to hide.
  [[nodiscard]] bool any() const { return !encodings_.empty() || causal_; }
  /// Whether attention has to be computed in single precision, on floats.
  [[nodiscard]] bool need_floats() const { return need_floats_; }
  /// Whether rows are to be turned where they lie, before they meet. Where terms need them as they were, HeadTerms
  /// turns copies.
  [[nodiscard]] bool turn_rows() const { return turn_ && !need_floats_; }

  /// What is turned in rows of queries, keys and values side by side, [3 · hidden], or of queries alone.
  enum class Columns { queries_keys_values, queries };
  /// Turns a row in place.
  /// @param token  of the batch
  void turn_row(const model::Batch& batch, size_t token, Columns columns, Destination row) const;

 private:
  friend class HeadTerms;

  struct Encoding {
    model::AttentionEncoding encoding;
    bool is_of_positions = true;  ///< or of segments
    model::AttentionParameters<float> shared;
    std::vector<model::AttentionParameters<float>> layers;
    /// By layer and head, or by head alone, where layers share them: what is added at key tag − query tag, from
    /// −(tags − 1) to tags − 1. Empty, where it does not depend on the distance alone.
    std::vector<std::vector<float>> by_distance;
    /// [tags, head size / 2], of a rotary encoding.
    Matrix<float> cosines, sines;

    [[nodiscard]] std::span<const int32_t> tags(const model::Batch& batch, size_t text) const;
  };

  void read(Encoding& encoding, const model::Weights& weights);
  [[nodiscard]] model::HeadOps<float> ops(const Encoding& encoding, size_t layer, size_t head) const;

  std::vector<Encoding> encodings_;
  size_t head_count_;
  size_t head_size_;
  size_t layers_;
  double epsilon_;
  double scale_;
  bool causal_;
  bool need_floats_ = false;
  bool turn_ = false;
};

/// What encodings do to one head of one text.
class HeadTerms {
 public:
  /// @param query, key  of the asked tokens and of all, where they are floats; not looked at where nothing needs them
  HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const AskedTokens& asked, size_t layer,
            size_t head, MatrixView<const float> query, MatrixView<const float> key);

  /// Queries, keys and values as they meet, where they are not those that lie there.
  [[nodiscard]] std::optional<Matrix<float>> queries(MatrixView<const float> query) const;
  [[nodiscard]] std::optional<Matrix<float>> keys(MatrixView<const float> key) const;
  [[nodiscard]] std::optional<Matrix<float>> values(MatrixView<const float> value) const;
  /// scores = scale · scores + terms, of queries first, first + 1, …; what is hidden becomes −∞.
  void add(size_t first, MatrixView<float> scores) const;
  /// Makes weights that must be 0 exactly that.
  void hide(size_t first, MatrixView<float> weights) const;
  /// context += what depends on weights, of queries first, first + 1, …
  void add_to_context(size_t first, MatrixView<const float> weights, MatrixView<float> context) const;

 private:
  [[nodiscard]] std::optional<Matrix<float>> turned(MatrixView<const float> rows, bool asked) const;
  [[nodiscard]] std::vector<model::TaggedToken> asked_tokens(const AttentionEncodings::Encoding& encoding) const;
  [[nodiscard]] std::vector<model::TaggedToken> tokens(const AttentionEncodings::Encoding& encoding) const;
  [[nodiscard]] model::Pairs pairs(const AttentionEncodings::Encoding& encoding, size_t first, size_t count) const;

  const AttentionEncodings& encodings_;
  const model::Batch& batch_;
  const AskedTokens& asked_;
  size_t layer_;
  size_t head_;
  std::optional<Matrix<float>> general_;  // terms that need their formula, of all queries asked
};

/// What HeadTerms made of rows, or the rows.
[[nodiscard]] inline MatrixView<const float> own_or(const std::optional<Matrix<float>>& own,
                                                    MatrixView<const float> rows) {
  return own ? MatrixView<const float>(own->view()) : rows;
}

}  // namespace summand::engine
