#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "summand/system_info.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

std::string cache_text(size_t bytes) {
  return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : "unknown";
}

/// "fp32; int8, attention in fp32"
std::string precisions_text(const std::vector<std::string>& precisions, const std::string& int8_attention) {
  std::string text;
  for (const auto& name : precisions) {
    text += (text.empty() ? "" : "; ") + name;
    if (name == "int8") text += ", attention in " + int8_attention;
  }
  return text;
}

/// Whether a set of kernels runs here.
std::string state_text(const KernelSetInfo& set, const SystemInfo& info) {
  if (!set.lacks.empty()) return fmt::format("no: lacks {}", fmt::join(set.lacks, ", "));
  return set.name == info.instruction_set ? "in use" : "yes";
}

void print(const SystemInfo& info) {
  terminal::print_pairs(stdout, "",
                        {{"summand", info.version},
                         {"compiler", info.compiler},
                         {"processor", info.processor},
                         {"instruction set", info.instruction_set},
                         {"matrix products", info.matrix_products},
                         {"precisions", precisions_text(info.precisions, info.int8_attention)},
                         {"threads", std::to_string(info.threads)},
                         {"L1 data cache", cache_text(info.l1_data_cache)},
                         {"L2 cache", cache_text(info.l2_cache)},
                         {"L3 cache", cache_text(info.l3_cache)}});
  fmt::print("\nkernels that this build holds (the environment variable SUMMAND_ISA chooses):\n");
  terminal::Table sets({{"instruction set", terminal::Align::left, ""},
                        {"here", terminal::Align::left, ""},
                        {"precisions", terminal::Align::left, ""},
                        {"auto", terminal::Align::left, ""}});
  for (const KernelSetInfo& set : info.kernel_sets) {
    sets.add({set.name, state_text(set, info), precisions_text(set.precisions, set.int8_attention), set.automatic});
  }
  sets.print(stdout);
  for (const KernelSetInfo& set : info.kernel_sets) {
    if (set.name == info.instruction_set) fmt::print("\nauto takes {} here: {}\n", set.automatic, set.reason);
  }
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

nlohmann::ordered_json to_json(const KernelSetInfo& set) {
  return {{"name", set.name},
          {"lacks", set.lacks},
          {"precisions", set.precisions},
          {"int8_attention", text_or_null(set.int8_attention)},
          {"automatic", set.automatic},
          {"reason", set.reason}};
}

nlohmann::ordered_json to_json(const SystemInfo& info) {
  auto sets = nlohmann::ordered_json::array();
  for (const KernelSetInfo& set : info.kernel_sets) sets.push_back(to_json(set));
  const auto bytes = [](size_t cache) { return cache > 0 ? nlohmann::ordered_json(cache) : nullptr; };
  return {{"summand", info.version},
          {"compiler", info.compiler},
          {"processor", info.processor},
          {"instruction_set", info.instruction_set},
          {"instruction_sets", info.instruction_sets},
          {"matrix_products", info.matrix_products},
          {"precisions", info.precisions},
          {"int8_attention", text_or_null(info.int8_attention)},
          {"kernel_sets", std::move(sets)},
          {"threads", info.threads},
          {"l1_data_cache_bytes", bytes(info.l1_data_cache)},
          {"l2_cache_bytes", bytes(info.l2_cache)},
          {"l3_cache_bytes", bytes(info.l3_cache)}};
}

}  // namespace

void add_info(CLI::App& program) {
  auto* verb =
      program.add_subcommand("info", "Show version, instruction set, libraries and threads: what a bug report needs");
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
