#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/batches/result_keys.hpp"
#include "base/matrix.hpp"

namespace summand::api {

/// Bytes of results that a call keeps for repeated texts.
inline constexpr size_t kKeptBytes = size_t{4} << 20;

/// An LRU cache of results, one row per text, keyed by the tokens. Its size in bytes is limited.
class ResultCache {
 public:
  /// Used only for lookup: equality is decided by comparing the tokens.
  using HashOfBytes = size_t (*)(std::string_view bytes);
  static size_t usual_hash(std::string_view bytes) { return std::hash<std::string_view>()(bytes); }

  explicit ResultCache(size_t most_bytes = kKeptBytes, HashOfBytes hash = usual_hash)
      : most_bytes_(most_bytes), hash_(hash) {}
  ResultCache(const ResultCache&) = delete;
  ResultCache& operator=(const ResultCache&) = delete;

  /// @param key  everything that determines the row
  [[nodiscard]] size_t hash_of(std::span<const int32_t> key) const;

  /// @param hash  of the key
  /// @return the row, valid until the next keep(), or nothing
  [[nodiscard]] std::optional<std::span<const float>> find(std::span<const int32_t> key, size_t hash);
  /// @param hash  of the key, which must not be in the cache
  void keep(std::span<const int32_t> key, size_t hash, std::span<const float> row);

  /// Size of the cache, keys and index included.
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    size_t hash;
    std::pmr::vector<int32_t> key;
    std::pmr::vector<float> row;
  };
  using Entries = std::pmr::list<Entry>;

  [[nodiscard]] static size_t bytes_of(size_t key, size_t row);
  void drop_first();

  size_t most_bytes_;
  HashOfBytes hash_;
  size_t bytes_ = 0;
  // A pool of its own: long-lived small blocks between large temporary arrays would fragment the heap.
  static constexpr std::pmr::pool_options kPool{.max_blocks_per_chunk = 64, .largest_required_pool_block = 1 << 16};
  std::pmr::unsynchronized_pool_resource memory_{kPool};
  Entries entries_{&memory_};  // least recently used first
  std::pmr::unordered_multimap<size_t, Entries::iterator> by_hash_{&memory_};
};

/// Computes the rows of a call's texts, batch by batch, and reuses the row of an earlier text with the same tokens:
/// always within a batch, and across batches while ResultCache holds it. Changes no bit, as a text's result does not
/// depend on the rest of the batch.
class Deduplicator {
 public:
  /// Computes the rows of a batch, [records, width]. The batch has sequences and texts, but no records.
  using Compute = std::function<Matrix<float>(const RecordBatch& batch)>;

  Deduplicator(RepeatedTexts repeated, size_t kept_bytes, ResultCache::HashOfBytes hash = ResultCache::usual_hash)
      : repeated_(repeated), earlier_(kept_bytes, hash) {}

  /// Counts the repeated texts in the batch.
  /// @return [records, width]
  /// @throws what `compute` throws
  [[nodiscard]] Matrix<float> rows(RecordBatch& batch, const Compute& compute);

 private:
  struct Places;
  [[nodiscard]] Places look_up(const RecordBatch& batch, const ResultKeys& keys);

  RepeatedTexts repeated_;
  ResultCache earlier_;
};

}  // namespace summand::api
