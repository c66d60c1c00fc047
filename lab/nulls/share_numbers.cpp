#include "lab/nulls/share_numbers.hpp"

#include "lab/core/number_builder.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/estimate.hpp"

namespace summand::lab {

void add_share(const ShareNames& names, const ShareWords& words, const KernelComparisons& own,
               const KernelComparisons& sine, size_t share, const KernelDraws& draws, Numbers& numbers) {
  const Estimate gaussian = median_estimate(own.gaussian[share]);
  const LocalizedText of_gaussian = median_of_draws(words_of(SameKernel::gaussian), draws.gaussian);
  numbers.add(NumberBuilder(names.own, own.own[share])
                  .null(gaussian, of_gaussian)
                  .control(sine.own[share], words_of_sinusoid()));
  numbers.add(NumberBuilder(names.phases, median_estimate(own.joint_phases[share]), words.phases)
                  .null(gaussian, of_gaussian)
                  .control(median_estimate(sine.joint_phases[share]), words.of_sinusoid));
  numbers.add(NumberBuilder(names.sinusoid, sine.own[share])
                  .null(median_estimate(sine.gaussian[share]), words.of_sinusoid_kernel)
                  .control(1, words.exact));
}

KernelComparison own_share(const ShareNames& names, const Numbers& numbers) {
  const Number& share = numbers.at(names.own);
  return {share.value, *share.null->interval, *numbers.at(names.phases).interval};
}

KernelComparison sinusoid_share(const ShareNames& names, const Numbers& numbers) {
  const Number& share = numbers.at(names.sinusoid);
  return {share.value, *share.null->interval, *numbers.at(names.phases).control->interval};
}

}  // namespace summand::lab
