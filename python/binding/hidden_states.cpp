#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/encodings.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/texts.hpp"

namespace summand::python {

namespace {

/// The rows of all parts one after another. Each part's are freed once they are copied.
Matrix<float> joined(std::vector<HiddenStates>& parts, const std::function<Matrix<float>&(HiddenStates&)>& matrix_of) {
  if (parts.size() == 1) return std::move(matrix_of(parts.front()));
  size_t rows = 0;
  for (HiddenStates& part : parts) rows += matrix_of(part).rows();
  Matrix<float> all(rows, matrix_of(parts.front()).columns());
  auto to = all.elements().begin();
  for (HiddenStates& part : parts) to = std::ranges::copy(matrix_of(part).release(), to).out;
  return all;
}

nb::dict hidden_states(const SharedModel& self, nb::handle texts, bool words,
                       const std::optional<std::vector<size_t>>& layers, const Name& truncation,
                       std::optional<size_t> max_length, const std::vector<std::string>& points,
                       const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "texts", words ? TextKind::words : TextKind::text_or_pair);
  const HiddenOptions options{
      .length = length_options(truncation, max_length), .layers = layers, .taps = taps_of(points, visit)};
  std::vector<HiddenStates> parts;
  std::vector<size_t> offsets{0};
  nb::list encodings;
  const auto take = [&](size_t begin, HiddenStates part) {
    append_to(encodings, part.texts, given.views().subspan(begin), [&](int32_t id) { return model->token(id); });
    const size_t rows_before = offsets.back();
    for (size_t text = 0; text < part.texts.size(); ++text) offsets.push_back(rows_before + part.offsets[text + 1]);
    parts.push_back(std::move(part));
  };
  run_in_parts(
      given.views(), options.taps, limit_of(*model, options.length),
      [&](const TextList& part) { return model->hidden(part, options); }, take);
  nb::list arrays;
  for (size_t layer = 0; layer < parts.front().layers.size(); ++layer) {
    const auto of_layer = [layer](HiddenStates& part) -> Matrix<float>& { return part.states[layer]; };
    arrays.append(nb::cast(to_numpy(joined(parts, of_layer))));
  }
  Matrix<float> pooled = joined(parts, [](HiddenStates& part) -> Matrix<float>& { return part.pooled; });
  nb::dict dict;
  dict["encodings"] = encodings;
  dict["offsets"] = offsets;
  dict["layers"] = parts.front().layers;
  dict["states"] = arrays;
  dict["pooled"] = pooled.empty() ? nb::none() : nb::cast(to_numpy(std::move(pooled)));
  return dict;
}

}  // namespace

void bind_hidden_states(ModelClass& model) {
  model.def("hidden_states", hidden_states, nb::arg("texts"), nb::kw_only(), nb::arg("words") = false,
            nb::arg("layers").none() = nb::none(), nb::arg("truncation").none() = nb::none(),
            nb::arg("max_length").none() = nb::none(), nb::arg("points") = std::vector<std::string>(),
            nb::arg("visit").none() = nb::none());
}

}  // namespace summand::python
