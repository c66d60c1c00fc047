#include "python/binding/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "python/binding/arrays.hpp"
#include "python/binding/gil.hpp"

namespace summand::python {

namespace {

constexpr std::array<std::pair<std::string_view, TapPoint>, 14> kPoints{{
    {"token_part", TapPoint::token_part},
    {"position_part", TapPoint::position_part},
    {"segment_part", TapPoint::segment_part},
    {"sum", TapPoint::sum},
    {"input", TapPoint::input},
    {"query", TapPoint::query},
    {"key", TapPoint::key},
    {"value", TapPoint::value},
    {"scores", TapPoint::scores},
    {"attention", TapPoint::attention},
    {"context", TapPoint::context},
    {"attention_output", TapPoint::attention_output},
    {"intermediate", TapPoint::intermediate},
    {"layer_output", TapPoint::layer_output},
}};

TapPoint point_named(const std::string& name) {
  const auto* found = std::ranges::find(kPoints, name, &std::pair<std::string_view, TapPoint>::first);
  if (found != kPoints.end()) return found->second;
  throw UsageError("points", fmt::format("expected names of points, {}, got '{}'", fmt::join(tap_point_names(), ", "),
                                         api::printable(name)));
}

std::string_view name_of(TapPoint point) {
  return std::ranges::find(kPoints, point, &std::pair<std::string_view, TapPoint>::second)->first;
}

/// Shows the values to Python as a copy, and takes them back: an array that Python keeps never looks into the engine.
void show(const nb::object& visit, const Taps::Site& site, MatrixView<float> values) {
  const WithGil acquired;
  Matrix<float> copy(values.rows(), values.columns());
  for (size_t row = 0; row < values.rows(); ++row) std::ranges::copy(values.row(row), copy.row(row).begin());
  const nb::object array = nb::cast(to_numpy(std::move(copy)));
  visit(name_of(site.point), site.layer, site.head, site.text, site.window, site.tokens.begin, array);
  nb::ndarray<const float, nb::ndim<2>, nb::c_contig> after;
  if (!nb::try_cast(array, after, /*convert=*/false) || after.shape(0) != values.rows() ||
      after.shape(1) != values.columns()) {
    throw UsageError("values", fmt::format("expected float32 [{}, {}] after the visit of {}, as before it, got another "
                                           "type or shape",
                                           values.rows(), values.columns(), name_of(site.point)));
  }
  for (size_t row = 0; row < values.rows(); ++row) {
    std::copy_n(after.data() + row * values.columns(), values.columns(), values.row(row).begin());
  }
}

}  // namespace

LengthOptions length_options(const Name& truncation, std::optional<size_t> max_length) {
  LengthOptions options{.max_length = max_length};
  if (truncation) options.truncation = api::truncation_named(*truncation);
  return options;
}

std::optional<WindowOptions> window_options(const Name& windows, size_t overlap) {
  if (!windows) return std::nullopt;
  return WindowOptions{.pooling = api::window_pooling_named(*windows), .overlap = overlap};
}

Taps taps_of(const std::vector<std::string>& points, const nb::object& visit) {
  Taps taps;
  if (points.empty()) return taps;
  for (const std::string& point : points) taps.points.push_back(point_named(point));
  // By pointer: a copy of the object would count references without the GIL. The caller holds it during the call.
  taps.visit = [&visit](const Taps::Site& site, MatrixView<float> values) { show(visit, site, values); };
  return taps;
}

std::vector<std::string> tap_point_names() {
  std::vector<std::string> names;
  for (const auto& [name, point] : kPoints) names.emplace_back(name);
  return names;
}

nb::dict to_dict(const ReadCount& count) {
  nb::dict dict;
  dict["texts"] = count.texts;
  dict["texts_cut"] = count.texts_cut;
  dict["tokens"] = count.tokens;
  dict["texts_empty"] = count.texts_empty;
  dict["unknown_tokens"] = count.unknown_tokens;
  dict["texts_divided"] = count.windows.texts_divided;
  dict["windows"] = count.windows.windows;
  dict["texts_repeated"] = count.texts_repeated;
  return dict;
}

}  // namespace summand::python
