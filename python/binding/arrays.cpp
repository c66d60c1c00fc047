#include "python/binding/arrays.hpp"

#include <fmt/format.h>

#include "summand/error.hpp"

namespace summand::python {

MatrixView<const float> view_of(const FloatRows& rows, std::string_view argument) {
  if (rows.size() == 0) return {rows.data(), rows.shape(0), rows.shape(1)};
  const bool lie_together = rows.stride(1) == 1 || rows.shape(1) <= 1;
  const auto columns = static_cast<int64_t>(rows.shape(1));
  if (!lie_together || (rows.shape(0) > 1 && rows.stride(0) < columns)) {
    throw UsageError(argument, fmt::format("expected rows whose elements lie one after another, got strides of {} and "
                                           "{} elements: numpy.ascontiguousarray",
                                           rows.stride(0), rows.stride(1)));
  }
  const size_t stride = rows.shape(0) > 1 ? static_cast<size_t>(rows.stride(0)) : rows.shape(1);
  return {rows.data(), rows.shape(0), rows.shape(1), stride};
}

}  // namespace summand::python
