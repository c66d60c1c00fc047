#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "summand/system_info.hpp"

namespace summand::cli {

namespace {

std::string cache_text(size_t bytes) {
  return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : "unknown";
}

/// "fp32; int8, attention in fp32"
std::string precisions_text(const SystemInfo& info) {
  std::string text;
  for (const auto& name : info.precisions) {
    text += (text.empty() ? "" : "; ") + name;
    if (name == "int8") text += ", attention in " + info.int8_attention;
  }
  return text;
}

void print(const SystemInfo& info) {
  print_pairs(stdout, "",
              {{"summand", info.version},
               {"compiler", info.compiler},
               {"processor", info.processor},
               {"instruction set", info.instruction_set},
               {"available", fmt::format("{}", fmt::join(info.instruction_sets, ", "))},
               {"matrix products", info.matrix_products},
               {"precisions", precisions_text(info)},
               {"threads", std::to_string(info.threads)},
               {"L1 data cache", cache_text(info.l1_data_cache)},
               {"L2 cache", cache_text(info.l2_cache)},
               {"L3 cache", cache_text(info.l3_cache)}});
}

nlohmann::ordered_json to_json(const SystemInfo& info) {
  const auto bytes = [](size_t cache) { return cache > 0 ? nlohmann::ordered_json(cache) : nullptr; };
  return {{"summand", info.version},
          {"compiler", info.compiler},
          {"processor", info.processor},
          {"instruction_set", info.instruction_set},
          {"instruction_sets", info.instruction_sets},
          {"matrix_products", info.matrix_products},
          {"precisions", info.precisions},
          {"int8_attention",
           info.int8_attention.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(info.int8_attention)},
          {"threads", info.threads},
          {"l1_data_cache_bytes", bytes(info.l1_data_cache)},
          {"l2_cache_bytes", bytes(info.l2_cache)},
          {"l3_cache_bytes", bytes(info.l3_cache)}};
}

}  // namespace

void add_info(CLI::App& program) {
  auto* verb = program.add_subcommand("info", "Version, instruction set, libraries, threads: what a bug report needs");
  const auto common = std::make_shared<CommonOptions>();
  add_common(*verb, *common);
  verb->footer("Example:\n  summand info");
  verb->callback([common] {
    const auto info = system_info(common->threads);
    if (common->json) {
      print_json(to_json(info));
    } else {
      print(info);
    }
  });
}

}  // namespace summand::cli
