#include "lab/nulls/same_kernel.hpp"

#include <vector>

#include "lab/core/localize.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

std::string name_of(SameKernel null) {
  switch (null) {
    case SameKernel::gaussian:
      return "gaussian_same_kernel";
    case SameKernel::joint_phases:
      return "joint_phases";
  }
  return {};
}

LocalizedText words_of(SameKernel null) {
  return localize("nulls.same_kernel." + name_of(null));
}

chart::Series series_of(SameKernel null) {
  const LocalizedText words = words_of(null);
  switch (null) {
    case SameKernel::gaussian:
      return {words, {.colour = "@sky", .dash = {4, 2}, .shape = "triangle-left"}};
    case SameKernel::joint_phases:
      return {words, {.colour = "@red", .dash = {2, 2}, .shape = "triangle-right"}};
  }
  return {};
}

SameKernelTables::SameKernelTables(const PlacedRows& like)
    : at_(like.at), grid_(centred_in_place(like)), process_(lag_kernel(like)) {}

PlacedRows SameKernelTables::kept_of(const Table& all) const {
  std::vector<Eigen::Index> rows;
  for (const size_t position : at_) rows.push_back(static_cast<Eigen::Index>(position - at_.front()));
  return {.rows = all(rows, Eigen::all), .at = at_};
}

PlacedRows SameKernelTables::draw(SameKernel null, RandomStream& stream) const {
  switch (null) {
    case SameKernel::gaussian:
      return kept_of(process_.draw(static_cast<size_t>(grid_.cols()), stream));
    case SameKernel::joint_phases:
      return kept_of(phase_randomised(grid_, Phases::common, stream));
  }
  return {};
}

}  // namespace summand::lab
