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

/// The packed weights of one checkpoint, kept in a folder from one start to the next. What was kept is used only where
/// it was made of files with the contents of those that are there now, by this version, in this precision and on this
/// set of kernels, and only while every byte has the hash that it had.
///
/// Nothing here fails because of what is kept or cannot be: the notice says what was done.
class PackedCache {
 public:
  /// Made before the checkpoint's files are read.
  /// @param folder  the checkpoint's own, or another; made where it is missing
  /// @param checkpoint  where config.json and the weights lie
  /// @throws UsageError if there is something else than a folder
  PackedCache(const std::filesystem::path& folder, const std::filesystem::path& checkpoint);

  /// What an earlier start kept, or nothing.
  [[nodiscard]] std::optional<engine::PackedPieces> find(engine::Precision precision, int threads);
  /// Whether what find() gave is still of the files that are there. Asked when they have been read.
  [[nodiscard]] bool is_current() const;
  /// What find() gave was not of use after all.
  void reject(const std::string& reason);

  /// Keeps what the weights have become, for the next start, unless they came from here. Asked when all has been read.
  void keep(const engine::PackedPieces& pieces, engine::Precision precision, int threads);

  /// One line: what became of it.
  [[nodiscard]] const std::string& notice() const { return notice_; }

 private:
  [[nodiscard]] std::filesystem::path file_for(engine::Precision precision) const;
  [[nodiscard]] io::PackedOrigin origin(engine::Precision precision, int threads) const;
  [[nodiscard]] bool are_sources(const std::vector<io::PackedSource>& sources, int threads) const;

  std::filesystem::path folder_;
  std::filesystem::path checkpoint_;
  std::vector<std::string> names_;     ///< of the files; none where they cannot be told
  std::vector<io::FileStamp> stamps_;  ///< as they were at first
  bool was_found_ = false;
  std::string rejected_;  ///< why what is there is not used
  std::string notice_;
};

}  // namespace summand::api
