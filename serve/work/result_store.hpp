#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/batches/result_cache.hpp"
#include "api/sequences/sequence_results.hpp"

namespace summand::serve {

/// Results of earlier sequences, within a bound of memory. Tokens are compared, not hashes, and a result has the same
/// bits as computing it again.
///
/// Thread-safety: members may be called from any thread.
class ResultStore {
 public:
  /// @param most_bytes  0: nothing is kept
  explicit ResultStore(size_t most_bytes) : most_bytes_(most_bytes), results_(most_bytes) {}

  /// A number for all that a result depends on beside the tokens.
  [[nodiscard]] int32_t number_of(const std::string& settings);

  [[nodiscard]] std::optional<std::vector<float>> find(int32_t settings, const api::Sequence& sequence);
  void keep(int32_t settings, const api::Sequence& sequence, std::span<const float> result);

  [[nodiscard]] size_t bytes() const;

 private:
  size_t most_bytes_;
  mutable std::mutex mutex_;
  api::ResultCache results_;
  std::map<std::string, int32_t> numbers_;
};

}  // namespace summand::serve
