// Watches the forward pass of a pair, then changes it. Prints the offset that each head of the first layer attends to
// most, and how far the pair's vector moves without positions:
//   example_taps MODEL TEXT SECOND_TEXT
#include <algorithm>
#include <cstdio>
#include <map>

#include "summand/summand.hpp"

using summand::MatrixView, summand::TapPoint, summand::Taps;

/// The offset between two tokens that has the largest share of a head's attention.
static void print_offset(const Taps::Site& site, MatrixView<float> attention) {
  if (site.layer != 1) return;
  std::map<long, double> shares;
  for (size_t from = 0; from < attention.rows(); ++from) {
    for (size_t to = 0; to < attention.columns(); ++to) {
      shares[static_cast<long>(to) - static_cast<long>(from)] += attention(from, to) / double(attention.rows());
    }
  }
  const auto most = std::ranges::max_element(shares, {}, [](const auto& share) { return share.second; });
  std::printf("head %2zu looks most at offset %+ld: %.6f\n", site.head, most->first, most->second);
}

static void clear(const Taps::Site&, MatrixView<float> rows) {
  for (size_t token = 0; token < rows.rows(); ++token) std::ranges::fill(rows.row(token), 0.0F);
}

static void repeat_first(const Taps::Site&, MatrixView<float> rows) {
  for (size_t token = 1; token < rows.rows(); ++token) std::ranges::copy(rows.row(0), rows.row(token).begin());
}

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: example_taps MODEL TEXT SECOND_TEXT\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1], {.precision = summand::Precision::fp32});
    const summand::Text pair(argv[2], argv[3]);
    const auto vector = model.embed(pair, {.taps = {{TapPoint::attention}, print_offset}}).vectors;
    const auto none = model.embed(pair, {.taps = {{TapPoint::position_part}, clear}}).vectors;
    const auto same = model.embed(pair, {.taps = {{TapPoint::position_part}, repeat_first}}).vectors;
    std::printf("cosine without position rows: %.6f\n", summand::cosine_similarity(vector.view(), none.view())(0, 0));
    std::printf("cosine with one row for all: %.6f\n", summand::cosine_similarity(vector.view(), same.view())(0, 0));
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
