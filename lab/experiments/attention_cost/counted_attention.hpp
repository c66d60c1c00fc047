#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random_stream.hpp"

// Multi-head attention written as loops that count what they multiply and add: no formula is assumed.
namespace summand::lab {

/// n tokens, width d, m heads of d/m coordinates each.
struct AttentionSize {
  size_t length = 0;
  size_t width = 0;
  size_t heads = 1;
};

/// Query, key and value of one text, [length, width] each, rows one after the other.
struct AttentionInput {
  AttentionSize size;
  std::vector<float> query;
  std::vector<float> key;
  std::vector<float> value;

  [[nodiscard]] static AttentionInput drawn(const AttentionSize& size, RandomStream& stream);
};

/// What was counted, in multiply–adds of matrix products and in exponentials.
struct AttentionCounts {
  uint64_t scores = 0;        ///< query times key
  uint64_t average = 0;       ///< weights times value
  uint64_t exponentials = 0;  ///< of the softmax

  [[nodiscard]] uint64_t products() const { return scores + average; }
};

struct CountedAttention {
  std::vector<float> context;  ///< [length, width]
  AttentionCounts counts;
};

/// How the heads are made.
enum class HeadLayout {
  loop,          ///< one head after the other, each reading its columns where they lie
  reshaped,      ///< [n, m·a] reshaped to [n, m, a] and transposed to [m, n, a]; three products over all heads; back
  no_transpose,  ///< wrong: [n, m·a] taken as [m, n, a] as it lies. A null
  full_width,    ///< not BERT's: every head of the whole width, m·n²·d. A null
};

/// softmax(Q·Kᵀ/√a)·V. @pre width is a multiple of heads
/// Source: Vaswani et al. 2017, section 3.2
[[nodiscard]] CountedAttention count_attention(const AttentionInput& input, HeadLayout layout);

/// Multiply–adds of n rows through a d × d_out matrix, counted by its loops without the arithmetic.
[[nodiscard]] uint64_t counted_projection(size_t length, size_t width, size_t out);

/// Powers of two from 1 to 64 that divide a width.
[[nodiscard]] std::vector<size_t> head_counts(size_t width);

/// The exponent with which a cost grows: least squares of its logarithm on the size's. @pre two sizes, all above 0
[[nodiscard]] double exponent_of(std::span<const double> sizes, std::span<const double> costs);

}  // namespace summand::lab
