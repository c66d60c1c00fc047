#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/base_names.hpp"
#include "api/options/option_names.hpp"
#include "python/binding/python.hpp"
#include "summand/summand.hpp"

namespace summand::python {

/// None, or a name.
using Name = std::optional<std::string>;

[[nodiscard]] LengthOptions length_options(const Name& truncation, std::optional<size_t> max_length);

/// @param windows  None: long texts are cut; else how windows are combined, "mean" or "max"
[[nodiscard]] std::optional<WindowOptions> window_options(const Name& windows, size_t overlap);

/// Taps for a call on this thread.
/// @param points  names; empty: no taps
/// @param visit   called with (point, layer, head, text, window, first token, array), with the GIL. Its array is a copy
///   of the values, and what it holds afterwards is what the model goes on with
[[nodiscard]] Taps taps_of(const std::vector<std::string>& points, const nb::object& visit);

/// Every name of a point, in the order of the forward pass.
[[nodiscard]] std::vector<std::string> tap_point_names();

/// {"texts": …, "texts_cut": …, "tokens": …, …}
[[nodiscard]] nb::dict to_dict(const ReadCount& count);

}  // namespace summand::python
