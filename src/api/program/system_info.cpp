#include "summand/system_info.hpp"

#include "base/available_threads.hpp"
#include "base/platform.hpp"
#include "engine/engine.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "model/enum_names.hpp"
#include "summand/version.hpp"

namespace summand {

namespace {

/// GCC's own macro has the version alone, and Clang has that macro too.
std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::vector<std::string> available_sets() {
  std::vector<std::string> names;
  for (const auto* const set : engine::available_kernel_sets()) names.emplace_back(set->name);
  return names;
}

KernelSetInfo described(const engine::KernelSet& set) {
  KernelSetInfo info{.name = std::string(set.name)};
  for (const auto feature : engine::lacking(set)) info.lacks.emplace_back(feature);
  for (const auto& [precision, name] : enum_names(engine::Precision{})) {
    if (!engine::runs(precision, set)) continue;
    info.precisions.emplace_back(name);
    if (precision == engine::Precision::int8) {
      info.int8_attention = model::name_of(engine::attention_precision(precision, set));
    }
  }
  info.automatic = model::name_of(engine::preference(set).floating);
  info.reason = engine::preference(set).reason;
  return info;
}

}  // namespace

SystemInfo system_info(int threads) {
  const auto& set = engine::chosen_kernel_set();
  const KernelSetInfo chosen = described(set);
  const CacheSizes caches = cache_sizes();
  SystemInfo info{.version = std::string(version()),
                  .compiler = compiler(),
                  .processor = processor_name(),
                  .instruction_set = chosen.name,
                  .instruction_sets = available_sets(),
                  .matrix_products = engine::matmul_backend(),
                  .precisions = chosen.precisions,
                  .int8_attention = chosen.int8_attention,
                  .threads = threads > 0 ? threads : available_threads(),
                  .l1_data_cache = caches.l1_data,
                  .l2_cache = caches.l2,
                  .l3_cache = caches.l3};
  for (const auto& each : engine::kernel_sets()) info.kernel_sets.push_back(described(each));
  return info;
}

}  // namespace summand
