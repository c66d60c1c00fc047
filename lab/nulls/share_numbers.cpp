#include "lab/nulls/share_numbers.hpp"

#include "lab/core/number_builder.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/same_kernel.hpp"

namespace summand::lab {

void add_share(const ShareNames& names, const ShareWords& words, const KernelComparisons& own,
               const KernelComparisons& sine, size_t share, const KernelDraws& draws, Numbers& numbers) {
  const DrawnNull gaussian = drawn_null(own.gaussian[share]);
  const LocalizedText of_gaussian = median_of_draws(words_of(SameKernel::gaussian), draws.gaussian);
  numbers.add(NumberBuilder(names.own, own.own[share])
                  .null(gaussian.middle, of_gaussian, gaussian.range)
                  .control(sine.own[share], words_of_sinusoid()));
  const DrawnNull phases = drawn_null(own.joint_phases[share]);
  const DrawnNull of_sine = drawn_null(sine.joint_phases[share]);
  numbers.add(NumberBuilder(names.phases, phases.middle, words.phases)
                  .interval(phases.range)
                  .null(gaussian.middle, of_gaussian, gaussian.range)
                  .control(of_sine.middle, words.of_sinusoid, of_sine.range));
  const DrawnNull of_sine_kernel = drawn_null(sine.gaussian[share]);
  numbers.add(NumberBuilder(names.sinusoid, sine.own[share])
                  .null(of_sine_kernel.middle, words.of_sinusoid_kernel, of_sine_kernel.range)
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
