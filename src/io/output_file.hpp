#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/interruption.hpp"
#include "io/file_descriptor.hpp"

namespace summand::io {

/// A file that appears whole or not at all. Writes go to `OUT.part`; commit() flushes it to the
/// disk and renames it. Destroyed without commit(), the part is removed and OUT is as it was.
///
/// A long run that records its progress elsewhere may keep the part, so that a later one continues it.
///
/// The part is locked while it is written, so that a second run with the same OUT is refused. An unlocked part was left
/// by a killed run and is started anew unless asked for. A symbolic link is followed and
/// stays. Pipes, devices and open descriptors (/dev/stdout, /dev/fd/3) are written straight through, since renaming
/// would replace them.
///
/// Every member throws IoError with the path and the system's reason. Writing beyond the process's file size limit
/// raises SIGXFSZ, and into a closed pipe SIGPIPE: a program that wants the error instead ignores these signals.
class OutputFile {
 public:
  /// All that an earlier run left, be it nothing: cut_back() decides once the part is locked.
  static constexpr uint64_t kAll = UINT64_MAX;

  /// Where to start writing.
  struct Start {
    uint64_t keep_bytes = 0;  ///< bytes to keep of an earlier run's part; the rest is dropped
  };

  /// Whether a path names a pipe, a device or an open descriptor.
  [[nodiscard]] static bool is_written_through(const std::filesystem::path& out);

  /// @throws IoError if OUT is a directory, not writable, in a directory that is missing or not writable, or being
  ///   written by another run; or if there is no part with as many bytes as are to be kept
  OutputFile(const std::filesystem::path& out, Start start);
  /// Begins anew.
  explicit OutputFile(const std::filesystem::path& out);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Continues after the first bytes of an existing part; the rest is dropped.
  /// @param bytes  at most position(); with 0 the part goes as if it were new
  void cut_back(uint64_t bytes);

  /// Overwrites bytes already written, or writes ahead of the end. Needs can_seek().
  void write_at(uint64_t offset, std::span<const std::byte> bytes);

  /// Bytes written by write(), and those kept in front of them.
  [[nodiscard]] uint64_t position() const { return position_; }
  /// False where the bytes go straight through.
  [[nodiscard]] bool can_seek() const { return !part_.empty(); }
  [[nodiscard]] const std::filesystem::path& path() const { return out_; }
  /// OUT behind all links; empty where the bytes go straight through.
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  /// OUT.part, behind all links; empty where the bytes go straight through.
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }

  /// Brings what was written so far to the disk, into the part.
  void bring_to_disk();
  /// From now on the part stays if this object is destroyed without commit().
  void keep_part();

  /// Brings everything to the disk and lets OUT appear. Nothing may be written afterwards.
  void commit();
  /// Lets another file that is whole appear as OUT, made from the part, which goes. Needs can_seek().
  /// @param made  on the same file system; it is renamed
  void commit_as(const std::filesystem::path& made);

 private:
  void open_part(Start start);
  void open_through();
  void flush();
  void appear(const std::filesystem::path& made);
  void write_through(std::span<const std::byte> bytes, uint64_t offset);
  [[noreturn]] void fail(int error_number) const;
  [[noreturn]] void fail(std::string_view message) const;

  std::filesystem::path out_;                                       ///< as given, for messages
  std::filesystem::path target_;                                    ///< where links lead
  std::filesystem::path part_;                                      ///< empty where the bytes go straight through
  std::optional<RemovedWhenInterrupted> removed_when_interrupted_;  ///< the part, unless it is kept
  FileDescriptor file_;
  std::vector<std::byte> buffer_;
  uint64_t position_ = 0;
  bool keeps_part_ = false;
};

}  // namespace summand::io
