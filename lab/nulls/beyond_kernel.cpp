#include "lab/nulls/beyond_kernel.hpp"

#include "base/random_stream.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

bool is_below(double share, const Interval& gaussian) {
  if (share < kLeastShare && share <= gaussian.high) return true;
  return share < kNearlyAll && 1 - share > kFarMore * (1 - gaussian.low);
}

Standing standing(const KernelComparison& share) {
  const auto leaves_less = [&](const Interval& null) { return 1 - share.own <= kLeftBeyond * (1 - null.high); };
  if (is_below(share.own, share.gaussian)) return Standing::below;
  const bool beyond = leaves_less(share.gaussian) && (share.own >= kExactShare || leaves_less(share.joint_phases));
  return beyond ? Standing::beyond : Standing::within;
}

KernelComparison KernelComparisons::of(size_t share) const {
  return {.own = own[share],
          .gaussian = middle_95_percent(gaussian[share]),
          .joint_phases = middle_95_percent(joint_phases[share])};
}

KernelComparisons compared_with_kernel(const PlacedRows& rows, const std::string& name, const KernelDraws& draws,
                                       const Conditions& conditions, const SharesOf& shares) {
  KernelComparisons result{.own = shares(rows), .gaussian = {}, .joint_phases = {}};
  const SameKernelTables tables(rows);
  const auto drawn = [&](SameKernel null, size_t count) {
    std::vector<std::vector<double>> of_draws(count);
    run_tasks(conditions, count, [&](size_t i) {
      RandomStream stream(conditions.seed, name + ": " + name_of(null) + " " + std::to_string(i));
      of_draws[i] = shares(tables.draw(null, stream));
    });
    std::vector<std::vector<double>> of_shares(result.own.size(), std::vector<double>(count));
    for (size_t i = 0; i < count; ++i) {
      for (size_t share = 0; share < of_shares.size(); ++share) of_shares[share][i] = of_draws[i][share];
    }
    return of_shares;
  };
  result.gaussian = drawn(SameKernel::gaussian, draws.gaussian);
  result.joint_phases = drawn(SameKernel::joint_phases, draws.joint_phases);
  return result;
}

}  // namespace summand::lab
