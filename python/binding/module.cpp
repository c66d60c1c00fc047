#include "python/binding/encodings.hpp"
#include "python/binding/errors.hpp"
#include "python/binding/gil.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/tokenizer.hpp"
#include "python/binding/vectors.hpp"
#include "summand/system_info.hpp"
#include "summand/version.hpp"

// The compiled part of the package summand: the public C++ door, as Python objects. python/summand is what programs
// see.
NB_MODULE(_summand, module) {
  using namespace summand::python;  // NOLINT
  module.attr("VERSION") = std::string(summand::version());
  module.attr("TAP_POINTS") = nb::cast(tap_point_names());
  nb::set_leak_warnings(false);  // of objects that threads hold when the interpreter ends
  watch_for_the_end();
  bind_errors(module);
  bind_encoding(module);
  auto model = bind_model(module);
  bind_embedding(model);
  bind_heads(model);
  bind_hidden_states(model);
  bind_tokenizer(module);
  bind_vectors(module);
  module.def("instruction_set", [] { return summand::system_info().instruction_set; });
}
