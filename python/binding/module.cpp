#include <cstdio>
#include <cstdlib>

#include "python/binding/encodings.hpp"
#include "python/binding/errors.hpp"
#include "python/binding/gil.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/tokenizer.hpp"
#include "python/binding/vectors.hpp"
#include "summand/system_info.hpp"
#include "summand/version.hpp"

namespace summand::python {

void end_of_process(int status, void* /*unused*/) {
  if (running_calls().load() == 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace summand::python

// The compiled part of the package summand: the public C++ door, as Python objects. python/summand is what programs
// see.
NB_MODULE(_summand, module) {
  using namespace summand::python;  // NOLINT
  module.attr("VERSION") = std::string(summand::version());
  module.attr("TAP_POINTS") = nb::cast(tap_point_names());
  nb::set_leak_warnings(false);  // of objects that threads hold when the interpreter ends
#ifdef __GLIBC__
  ::on_exit(end_of_process, nullptr);
#endif
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
