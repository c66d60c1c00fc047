#include "summand/system_info.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "base/available_threads.hpp"
#include "engine/engine.hpp"
#include "engine/instruction_set.hpp"
#include "model/enum_names.hpp"
#include "summand/version.hpp"

namespace summand {

namespace {

std::string processor() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string cache(int name) {
  const long bytes = sysconf(name);
  return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : "unknown";
}

std::string available_sets() {
  std::string list;
  for (const auto set : engine::available_instruction_sets()) {
    list += (list.empty() ? "" : ", ") + std::string(model::name_of(set));
  }
  return list;
}

std::string available_precisions() {
  const auto set = engine::chosen_instruction_set();
  std::string list;
  for (const auto& [precision, name] : enum_names(engine::Precision{})) {
    if (!engine::runs(precision, set)) continue;
    list += (list.empty() ? "" : "; ") + engine::describe(precision, set);
  }
  return list;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> system_info(int threads) {
  return {
      {"summand", std::string(version())},
      {"compiler", "GCC " __VERSION__},
      {"processor", processor()},
      {"instruction set", std::string(model::name_of(engine::chosen_instruction_set()))},
      {"available", available_sets()},
      {"matrix products", engine::matmul_backend()},
      {"precisions", available_precisions()},
      {"threads", std::to_string(threads > 0 ? threads : available_threads())},
      {"L1 data cache", cache(_SC_LEVEL1_DCACHE_SIZE)},
      {"L2 cache", cache(_SC_LEVEL2_CACHE_SIZE)},
      {"L3 cache", cache(_SC_LEVEL3_CACHE_SIZE)},
  };
}

}  // namespace summand
