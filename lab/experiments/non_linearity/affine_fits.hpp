#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/matrix_view.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/norm_outputs.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/taps.hpp"

// Parts of the forward pass replaced by their best affine fits.
namespace summand::lab {

/// What is replaced.
enum class Source {
  gelu,            ///< the feed-forward activation, coordinate by coordinate, of what it is given
  self_attention,  ///< weights that no longer read the text: mean weight on self, first and last token, rest even
  softmax,         ///< weights 1/n + slope · (score − mean score of the row)/n, a slope for each head; rows sum to 1
  attention_norm,  ///< coordinate by coordinate, of the sum less its mean over coordinates; then the nearest that a
                   ///< normalisation can give: what reads it was never given other vectors, and may do anything there
  output_norm,
  input_norm,
  value,  ///< the value projection, which is affine: a null
};
/// The family of its numbers: the change of sentence vectors has its bare name, and its label is the source.
[[nodiscard]] NumberName name_of(Source source);
[[nodiscard]] LocalizedText words_of(Source source);

/// Whose rows are replaced.
enum class Tokens {
  all,    ///< by one fit of all rows
  words,  ///< ordinary words, by a fit of theirs; [CLS], [SEP] and their kin stay as they are
  first,  ///< [CLS] alone, by the fit of all rows
};
[[nodiscard]] LocalizedText words_of(Tokens tokens);

/// Least squares of each coordinate's output on the same coordinate's input.
class CoordinateFit {
 public:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void add(const Rows& inputs, const Rows& outputs);
  /// slope ∘ input + offset; an input that never varied has slope 0.
  [[nodiscard]] Rows predict(const Rows& inputs) const;

 private:
  double count_ = 0;
  Eigen::ArrayXXd sums_;  ///< [4, width]: input, output, input², input · output
};

/// One head's weights, fitted.
struct HeadFit {
  double scores_squared = 0;
  double scores_times_weights = 0;
  double rows = 0;
  double self = 0;
  double first = 0;
  double last = 0;

  /// @param left_out  of each row, whether it is not learnt from; empty: none
  void add(MatrixView<const float> scores, MatrixView<const float> weights, const std::vector<bool>& left_out = {});
  /// Replaces weights by those of the softmax's slope.
  void put_slope(MatrixView<const float> scores, MatrixView<float> weights) const;
  /// Replaces weights by the pattern.
  void put_pattern(MatrixView<float> weights) const;
};

/// How long the rows are that a normalisation is given: their deviation over coordinates, sums over texts.
struct Deviations {
  double first = 0;  ///< of [CLS]
  double texts = 0;
  double words = 0;
  double count = 0;  ///< of words
};

/// All fits of a model, by source and layer, and by layer and head: of all rows, and of the words'.
struct AffineFits {
  struct OfTokens {
    std::map<std::pair<Source, size_t>, CoordinateFit> coordinates;
    std::map<std::pair<size_t, size_t>, HeadFit> heads;
  };
  OfTokens all;
  OfTokens words;
  std::map<std::pair<Source, size_t>, Deviations> deviations;  ///< of what is coordinate by coordinate

  [[nodiscard]] const OfTokens& of(Tokens tokens) const { return tokens == Tokens::words ? words : all; }
};

/// Where replacements are made.
struct Replacement {
  std::set<Source> sources = {};
  std::optional<size_t> layer = {};  ///< this one alone; absent: all
  Tokens tokens = Tokens::all;
  double dose = 1;               ///< of the way from what a source gives to what its fit gives
  std::set<Source> before = {};  ///< replaced first: words', wholly, in all layers

  [[nodiscard]] bool at(Source source, size_t of_layer) const {
    return sources.contains(source) && (!layer || *layer == of_layer);
  }
};

/// The matrices before each source, in single precision, once for all passes.
class SourceInputs {
 public:
  using Rows = CoordinateFit::Rows;

  /// @pre there is a model
  explicit SourceInputs(const Subject& subject);

  struct Map {
    Rows weight;  ///< [out, in]
    Eigen::RowVectorXf bias;

    [[nodiscard]] Rows operator()(const Rows& rows) const { return (rows * weight.transpose()).rowwise() + bias; }
  };
  struct Layer {
    Map value, attention_output, intermediate, output;
    NormOutputs attention_norm, output_norm;
  };
  NormOutputs input_norm;
  std::vector<Layer> layers;

  /// What a source can give; null where it is no normalisation.
  [[nodiscard]] const NormOutputs* outputs_of(Source source, size_t layer) const;
};

/// Follows a text through the engine; learns the fits, or puts them in place of what they fit.
class AffinePass : public model::Taps<float> {
 public:
  using Rows = CoordinateFit::Rows;

  /// Learns into `fits`. @param texts  that it will follow, in the batch's order
  AffinePass(const SourceInputs& inputs, const Texts& texts, AffineFits& fits)
      : inputs_(inputs), texts_(texts), learnt_(&fits), fits_(fits) {}
  /// Replaces by `fits`.
  AffinePass(const SourceInputs& inputs, const Texts& texts, const AffineFits& fits, Replacement replacement)
      : inputs_(inputs), texts_(texts), fits_(fits), replacement_(std::move(replacement)) {}

  /// Changes the sum of token, position and segment before anything reads it.
  std::function<void(size_t text, MatrixView<float> sum)> disturb = {};

  [[nodiscard]] bool wants(model::TapPoint point) const override;
  void visit(const model::TapSite& site, MatrixView<float> values) override;

 private:
  void coordinate(Source source, const model::TapSite& site, MatrixView<float> values,
                  const std::function<Rows()>& input);
  /// What a fit makes of what the source is given.
  [[nodiscard]] Rows fitted(const AffineFits::OfTokens& fits, const std::pair<Source, size_t>& place,
                            const Rows& input) const;
  void learn(Source source, const model::TapSite& site, const Rows& input, const Rows& output);
  void attention(const model::TapSite& site, MatrixView<float> weights);
  /// Of each of the text's rows, whether it is not among these.
  [[nodiscard]] std::vector<bool> left_out(size_t text, Tokens tokens) const;
  /// Moves the rows of these tokens towards others.
  void move(MatrixView<float> values, const Rows& to, const std::vector<bool>& left_out, double dose) const;
  [[nodiscard]] bool wants_attention(Source source) const {
    return learnt_ != nullptr || replacement_.sources.contains(source) || replacement_.before.contains(source);
  }

  const SourceInputs& inputs_;
  const Texts& texts_;
  AffineFits* learnt_ = nullptr;
  const AffineFits& fits_;
  Replacement replacement_;
  Rows sum_;
  Rows hidden_;
  Rows scores_;
  Rows context_;
  Rows attention_output_;
  Rows intermediate_;
};

}  // namespace summand::lab
