#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/experiments/non_linearity/affine_fits.hpp"

namespace summand::lab {

/// What was measured of one source.
struct ReplacedSource {
  LocalizedText words;
  double change = 0;  ///< mean 1 − cosine of sentence vectors
  double states = 0;  ///< relative error of the last hidden states
};

/// One source, one layer.
struct AtLayer {
  Source source;
  size_t layer = 0;
  Tokens tokens = Tokens::all;
  double change = 0;
};

/// Those that are replaced one layer at a time.
inline constexpr std::array kByLayer{Source::gelu, Source::self_attention, Source::attention_norm, Source::output_norm};

inline constexpr std::array kTokensByLayer{Tokens::all, Tokens::words, Tokens::first};

[[nodiscard]] Figure sources_figure(const std::vector<ReplacedSource>& shown);
[[nodiscard]] Figure layers_figure(const std::vector<AtLayer>& found);

}  // namespace summand::lab
