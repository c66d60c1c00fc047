#pragma once

#include <cstdint>

#include "train/network/dropout_mask.hpp"

namespace summand::train {

// Passes over a row of scores or weights between the products of attention; those in float are compiled for several
// instruction sets. `columns` are indices, [n]; null means 0, 1, 2, …

/// Softmax in place. @return the logarithm of the sum of exponentials
float softmax_row(float* row, int64_t n);
double softmax_row(double* row, int64_t n);

/// Scores become weights again, in place. @param log_sum  as softmax_row() returned it
void weights_row(float* row, int64_t n, float log_sum);
void weights_row(double* row, int64_t n, double log_sum);

/// to = from · mask, whose indices are first + columns; both may be the same row.
void drop_row(const float* from, float* to, int64_t n, const DropoutMask& mask, uint32_t first, const int32_t* columns);
void drop_row(const double* from, double* to, int64_t n, const DropoutMask& mask, uint32_t first,
              const int32_t* columns);

/// A gradient at dropped weights becomes, in place, that at weights: gradient · mask.
/// @return Σ gradient · weights
float undrop_row(float* gradient, const float* weights, int64_t n, const DropoutMask& mask, uint32_t first,
                 const int32_t* columns);
double undrop_row(double* gradient, const double* weights, int64_t n, const DropoutMask& mask, uint32_t first,
                  const int32_t* columns);

/// A gradient at weights becomes, in place, that at scores. @param mean  Σ gradient · weights
void score_gradient_row(float* gradient, const float* weights, int64_t n, float mean);
void score_gradient_row(double* gradient, const double* weights, int64_t n, double mean);

/// to[j] = from[columns[j]]
void take_columns(float* to, const float* from, int64_t n, const int32_t* columns);
void take_columns(double* to, const double* from, int64_t n, const int32_t* columns);

/// to[j] += from[columns[j]]
void add_columns(float* to, const float* from, int64_t n, const int32_t* columns);
void add_columns(double* to, const double* from, int64_t n, const int32_t* columns);

/// to[columns[j]] += from[j]
void collect_columns(float* to, const float* from, int64_t n, const int32_t* columns);
void collect_columns(double* to, const double* from, int64_t n, const int32_t* columns);

/// −∞ where the column's index is above the largest, in place.
void hide_columns(float* row, int64_t n, const int32_t* columns, int32_t largest);
void hide_columns(double* row, int64_t n, const int32_t* columns, int32_t largest);

}  // namespace summand::train
