#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/encodings.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/texts.hpp"

namespace summand::python {

namespace {

nb::dict hidden_states(const SharedModel& self, nb::handle texts, bool words,
                       const std::optional<std::vector<size_t>>& layers, const Name& truncation,
                       std::optional<size_t> max_length, const std::vector<std::string>& points,
                       const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "texts", words ? TextKind::words : TextKind::text_or_pair);
  const HiddenOptions options{
      .length = length_options(truncation, max_length), .layers = layers, .taps = taps_of(points, visit)};
  HiddenStates states = without_gil([&] { return model->hidden(TextList(given.views()), options); });
  nb::list arrays;
  for (Matrix<float>& state : states.states) arrays.append(nb::cast(to_numpy(std::move(state))));
  nb::dict dict;
  dict["encodings"] = to_list(states.texts, given.views(), [&](int32_t id) { return model->token(id); });
  dict["offsets"] = states.offsets;
  dict["layers"] = states.layers;
  dict["states"] = arrays;
  dict["pooled"] = states.pooled.empty() ? nb::none() : nb::cast(to_numpy(std::move(states.pooled)));
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
