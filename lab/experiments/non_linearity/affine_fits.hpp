#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/loaded_model.hpp"
#include "base/matrix_view.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/words.hpp"
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
  attention_norm,  ///< coordinate by coordinate, of the sum less its mean over coordinates
  output_norm,
  input_norm,
  value,  ///< the value projection, which is affine: a null
};
/// The family of its numbers: the change of sentence vectors has its bare name, and its label is the source.
[[nodiscard]] NumberName name_of(Source source);
[[nodiscard]] Words words_of(Source source);

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

  void add(MatrixView<const float> scores, MatrixView<const float> weights);
  /// Replaces weights by those of the softmax's slope.
  void put_slope(MatrixView<const float> scores, MatrixView<float> weights) const;
  /// Replaces weights by the pattern.
  void put_pattern(MatrixView<float> weights) const;
};

/// All fits of a model, by source and layer, and by layer and head.
struct AffineFits {
  std::map<std::pair<Source, size_t>, CoordinateFit> coordinates;
  std::map<std::pair<size_t, size_t>, HeadFit> heads;
};

/// Where replacements are made.
struct Replacement {
  std::set<Source> sources = {};
  std::optional<size_t> layer = {};  ///< this one alone; absent: all

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
  };
  std::vector<Layer> layers;
};

/// Follows a text through the engine; learns the fits, or puts them in place of what they fit.
class AffinePass : public model::Taps<float> {
 public:
  using Rows = CoordinateFit::Rows;

  /// Learns into `fits`.
  AffinePass(const SourceInputs& inputs, AffineFits& fits) : inputs_(inputs), learnt_(&fits), fits_(fits) {}
  /// Replaces by `fits`.
  AffinePass(const SourceInputs& inputs, const AffineFits& fits, Replacement replacement)
      : inputs_(inputs), fits_(fits), replacement_(std::move(replacement)) {}

  /// Changes the sum of token, position and segment before anything reads it.
  std::function<void(size_t text, MatrixView<float> sum)> disturb = {};

  [[nodiscard]] bool wants(model::TapPoint point) const override;
  void visit(const model::TapSite& site, MatrixView<float> values) override;

 private:
  void coordinate(Source source, size_t layer, MatrixView<float> values, const std::function<Rows()>& input);
  void attention(const model::TapSite& site, MatrixView<float> weights);

  const SourceInputs& inputs_;
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
