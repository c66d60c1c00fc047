#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// What is done to a vector before it is decoded.
struct Disturbance {
  std::string name;  ///< as part of a number's name
  LocalizedText words;
  double noise = 0;  ///< root mean square of the noise beside that of the vector
  bool bf16 = false;
};

/// Of the noises, the weakest first.
inline constexpr std::array kNoisePercents{1, 10, 30, 100};

/// From none to the strongest.
[[nodiscard]] const std::vector<Disturbance>& disturbances();

/// Places of some of them.
inline constexpr size_t kUndisturbed = 0;
inline constexpr size_t kBf16 = 1;
inline constexpr size_t kFirstNoise = 2;
inline constexpr size_t kNoise10 = 3;
inline constexpr size_t kNoise30 = 4;
static_assert(kNoisePercents[kNoise10 - kFirstNoise] == 10 && kNoisePercents[kNoise30 - kFirstNoise] == 30);

/// Combinations that are decoded: all of them as they are and rounded, the
/// first ones with noise.
struct DecodedItems {
  std::vector<SumItem> items;
  size_t noisy = 0;  ///< how many with noise, at most all
};

/// Decodes the same combinations under every disturbance, in one search.
class Decoding {
 public:
  /// @param norm  what the model would round behind, under Seen::normalised; none: the vectors themselves are rounded
  Decoding(const SumDecoder& decoder, const DecodedItems& of, Seen seen, const FirstNorm* norm,
           const Conditions& conditions);

  [[nodiscard]] std::span<const Decoded> of(size_t disturbance) const {
    return std::span(decoded_).subspan(begins_[disturbance], begins_[disturbance + 1] - begins_[disturbance]);
  }
  /// The fraction of vectors of which all three are found.
  [[nodiscard]] double rate(size_t disturbance) const { return exact_rate(of(disturbance)); }
  /// Exact bounds of it, the vectors being independent draws.
  [[nodiscard]] Interval bounds(size_t disturbance) const;
  /// Of one of the three.
  [[nodiscard]] double rate(size_t disturbance, bool Decoded::*part) const;
  /// Of the vectors as they are.
  [[nodiscard]] std::vector<double> margins() const;

 private:
  std::vector<size_t> begins_{0};  ///< [disturbances + 1]
  std::vector<Decoded> decoded_;
};

/// Exact bounds of the fraction that is found.
[[nodiscard]] Interval bounds_of(std::span<const Decoded> decoded);

}  // namespace summand::lab
