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

/// Bytes that a call keeps of its texts' results, for those that come again.
inline constexpr size_t kKeptBytes = size_t{4} << 20;

/// Results of texts, a row for each, by the tokens that they were computed of. It holds so many bytes at most: what has
/// not been asked for longest goes first.
class ResultCache {
 public:
  /// Only says where to look: that tokens are the same is seen by comparing them.
  using HashOfBytes = size_t (*)(std::string_view bytes);
  static size_t usual_hash(std::string_view bytes) { return std::hash<std::string_view>()(bytes); }

  explicit ResultCache(size_t most_bytes = kKeptBytes, HashOfBytes hash = usual_hash)
      : most_bytes_(most_bytes), hash_(hash) {}
  ResultCache(const ResultCache&) = delete;
  ResultCache& operator=(const ResultCache&) = delete;

  /// @param key  all that the row was computed of
  [[nodiscard]] size_t hash_of(std::span<const int32_t> key) const;

  /// @param hash  of the key
  /// @return the row, until the next call of keep(), or nothing
  [[nodiscard]] std::optional<std::span<const float>> find(std::span<const int32_t> key, size_t hash);
  /// @param hash  of the key, which is not there yet
  void keep(std::span<const int32_t> key, size_t hash, std::span<const float> row);

  /// Of what is kept, with what it takes to find it again.
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
  // Of its own: what stays long between the large arrays of one batch and the next would leave gaps in the heap.
  static constexpr std::pmr::pool_options kPool{.max_blocks_per_chunk = 64, .largest_required_pool_block = 1 << 16};
  std::pmr::unsynchronized_pool_resource memory_{kPool};
  Entries entries_{&memory_};  // what was asked for last comes last
  std::pmr::unordered_multimap<size_t, Entries::iterator> by_hash_{&memory_};
};

/// Computes the rows of a call's texts, batch by batch, and of texts with the same tokens only the first. Those of a
/// batch are always found, those of earlier batches as long as ResultCache has them. That changes no bit, as a text's
/// result does not depend on what it is computed beside.
class Deduplicator {
 public:
  /// Computes the rows of all records of a batch, [records, width]. What it is given has sequences and texts, and no
  /// records.
  using Compute = std::function<Matrix<float>(const RecordBatch& batch)>;

  Deduplicator(RepeatedTexts repeated, size_t kept_bytes, ResultCache::HashOfBytes hash = ResultCache::usual_hash)
      : repeated_(repeated), earlier_(kept_bytes, hash) {}

  /// Counts in the batch what was there before.
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
