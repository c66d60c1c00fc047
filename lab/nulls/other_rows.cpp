#include "lab/nulls/other_rows.hpp"

#include <array>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab {

void add_other_rows(const NumberName& judged, const std::string& stream, const Table& table, double sinusoid,
                    size_t draws, const Conditions& conditions, Numbers& numbers) {
  constexpr std::array<size_t, 1> kRow0{0};
  const auto add = [&](const std::string& name, const PlacedRows& of) {
    const auto shares = compared_with_kernel(
        of, stream + " " + name, {draws, 0}, conditions,
        [](const PlacedRows& one) { return std::vector<double>{share_by_distance(squared_distances(one))}; });
    const LocalizedText label = localize("nulls.other_rows." + name);
    numbers.add(NumberBuilder(judged.of(name), label, shares.own[0])
                    .null(median_estimate(shares.gaussian[0]), median_of_draws(words_of(SameKernel::gaussian), draws))
                    .control(sinusoid, words_of_sinusoid()));
  };
  add("all", placed_rows(table));
  add("without_row_0", placed_rows(table, kRow0));
}

bool told_without_outlying_alone(const NumberName& judged, const Numbers& numbers) {
  return numbers.value(with_outlying(judged)) < kLeastShare;
}

std::string with_outlying(const NumberName& judged) {
  return judged.of("without_row_0");
}

}  // namespace summand::lab
