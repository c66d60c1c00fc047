#include "train/run/about_program.hpp"

#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "summand/version.hpp"

namespace summand::train {

nlohmann::ordered_json about_program(const AboutProgram& about) {
  return {{"command", about.command},
          {"threads", about.threads},
          {"processes", about.processes},
          {"device", about.cuda ? "cuda" : "cpu"},
          {"summand", fmt::format("{}.{}.{}", SUMMAND_VERSION_MAJOR, SUMMAND_VERSION_MINOR, SUMMAND_VERSION_PATCH)},
          {"libtorch", TORCH_VERSION},
          {"instruction_set", at::get_cpu_capability()}};
}

}  // namespace summand::train
