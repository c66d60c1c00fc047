#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string_view>

namespace summand::io {

/// The files of a zip archive by name, each as its bytes in the archive.
using ZipArchive = std::map<std::string_view, std::span<const std::byte>, std::less<>>;

/// Whether bytes begin as a zip archive does.
[[nodiscard]] bool is_zip_archive(std::span<const std::byte> bytes);

/// Lists an archive whose files are stored, not compressed, as torch writes them (with ZIP64 records where they are
/// needed). Nothing is copied: the names and the files are views of `bytes`. Checksums are not looked at, as torch may
/// write archives without them.
/// @param bytes  the whole archive
/// @param where  its name, for messages
/// @throws CheckpointError if it ends early, a file leads out of it or comes twice, or one is compressed or encrypted
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3
[[nodiscard]] ZipArchive list_zip_archive(std::span<const std::byte> bytes, std::string_view where);

}  // namespace summand::io
