#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/precision.hpp"
#include "engine/packed_pieces.hpp"
#include "io/file_stamp.hpp"
#include "io/packed_file.hpp"

namespace summand::api {

/// A cache on disk of a checkpoint's packed weights. A cached file is used only if it was made from files with the same
/// contents as now, by this version, in this precision and for this set of kernels, and only if its hashes match.
///
/// A bad or missing cache is never an error: the notice reports it.
class PackedCache {
 public:
  /// To be constructed before the checkpoint's files are read.
  /// @param folder  the checkpoint's own, or another; created if missing
  /// @param checkpoint  the folder of config.json and the weights
  /// @throws UsageError if `folder` is not a folder
  PackedCache(const std::filesystem::path& folder, const std::filesystem::path& checkpoint);

  /// The weights kept by an earlier load, or nothing.
  [[nodiscard]] std::optional<engine::PackedPieces> find(engine::Precision precision, int threads);
  /// Whether the result of find() still matches the files. Call it after reading them.
  [[nodiscard]] bool is_current() const;
  /// Discards the result of find().
  void reject(const std::string& reason);

  /// Stores the packed weights for the next load, unless they came from the cache. Call it after reading all files.
  void keep(const engine::PackedPieces& pieces, engine::Precision precision, int threads);

  /// One line: whether the cache was used.
  [[nodiscard]] const std::string& notice() const { return notice_; }

 private:
  [[nodiscard]] std::filesystem::path file_for(engine::Precision precision) const;
  [[nodiscard]] io::PackedOrigin origin(engine::Precision precision, int threads) const;
  [[nodiscard]] bool are_sources(const std::vector<io::PackedSource>& sources, int threads) const;

  std::filesystem::path folder_;
  std::filesystem::path checkpoint_;
  std::vector<std::string> names_;     ///< of the files; empty if unknown
  std::vector<io::FileStamp> stamps_;  ///< before reading
  bool was_found_ = false;
  std::string rejected_;  ///< why the cached file is not used
  std::string notice_;
};

}  // namespace summand::api
