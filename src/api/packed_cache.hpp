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

/// The packed weights of one checkpoint in one precision, kept in a folder from one start to the next. What was kept is
/// used only where it was made of the files that are there now: files of the same stamps, or else of the same contents;
/// by this version and set of kernels; and only while every byte has the hash that it had.
///
/// Nothing here fails because of what is kept or cannot be: the notice says what was done.
class PackedCache {
 public:
  /// @param folder  the checkpoint's own, or another; made where it is missing
  /// @param checkpoint  where config.json and the weights lie
  /// @throws UsageError if there is something else than a folder
  /// @throws as io::weight_file_names
  PackedCache(const std::filesystem::path& folder, const std::filesystem::path& checkpoint,
              engine::Precision precision);

  /// What an earlier start kept, or nothing.
  [[nodiscard]] std::optional<engine::PackedPieces> find(int threads);
  /// What find() gave was not of use after all.
  void reject(const std::string& reason);
  /// Keeps what the weights have become, for the next start.
  void keep(const engine::PackedPieces& pieces, int threads);

  /// Whether the checkpoint's files are still those that they were when this object was made.
  [[nodiscard]] bool is_of_now() const;

  /// One line: what became of it.
  [[nodiscard]] const std::string& notice() const { return notice_; }

 private:
  [[nodiscard]] std::vector<io::StampedFile> stamped_files() const;
  [[nodiscard]] bool are_sources(const std::vector<io::PackedSource>& sources, int threads) const;
  [[nodiscard]] io::PackedOrigin origin(int threads) const;

  std::filesystem::path checkpoint_;
  engine::Precision precision_;
  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::vector<io::StampedFile> files_;  ///< as they were at first
  std::string rejected_;                ///< why what was there is not used
  std::string notice_;
};

}  // namespace summand::api
