#include "api/model/packed_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "io/weight_files.hpp"
#include "model/enum_names.hpp"
#include "summand/version.hpp"

namespace summand::api {

namespace {

namespace fs = std::filesystem;

static_assert(io::kPackedAlignment == engine::kPieceAlignment);

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// In the checkpoint's own folder the set and the precision tell the files apart; elsewhere the checkpoint's place does
/// too.
std::string file_name(const fs::path& folder, const fs::path& checkpoint, std::string_view precision) {
  constexpr size_t kLongestName = 40;
  std::error_code failed;
  std::string name = "summand";
  if (!fs::equivalent(folder, checkpoint, failed)) {
    const fs::path place = fs::canonical(checkpoint, failed);
    if (failed) {
      throw IoError(path_text(checkpoint), fmt::format("its place cannot be told: {}", errno_text(failed.value())));
    }
    name = place.filename().string().substr(0, kLongestName);
    std::ranges::replace_if(name, std::not_fn(is_plain), '_');
    Hash hash;
    hash.add(place.string());
    name += fmt::format("-{:016x}", hash.value());
  }
  return fmt::format("{}.{}.{}.packed", name, engine::chosen_kernel_set().name, precision);
}

std::map<std::string, std::string> settings_of(engine::Precision precision) {
  return {{"format", std::to_string(engine::kPackedFormat)},
          {"summand", std::string(version())},
          {"kernels", std::string(engine::chosen_kernel_set().name)},
          {"precision", std::string(model::name_of(precision))}};
}

std::vector<std::string> names_of_files(const fs::path& checkpoint) {
  auto names = io::weight_file_names(checkpoint);
  names.emplace_back("config.json");
  return names;
}

std::vector<io::FileStamp> stamps_of(const fs::path& checkpoint, const std::vector<std::string>& names) {
  std::vector<io::FileStamp> stamps;
  for (const auto& name : names) stamps.push_back(io::file_stamp(checkpoint / name));
  return stamps;
}

}  // namespace

PackedCache::PackedCache(const fs::path& folder, const fs::path& checkpoint)
    : folder_(folder), checkpoint_(checkpoint) {
  std::error_code failed;
  const auto status = fs::status(folder, failed);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError("cache", fmt::format("{}: expected a folder, got something else", path_text(folder)));
  }
  try {
    names_ = names_of_files(checkpoint);
    stamps_ = stamps_of(checkpoint, names_);
  } catch (const Error&) {  // reading the files gives a better message
    names_.clear();
  }
}

fs::path PackedCache::file_for(engine::Precision precision) const {
  return folder_ / file_name(folder_, checkpoint_, model::name_of(precision));
}

bool PackedCache::is_current() const {
  try {
    return !names_.empty() && names_of_files(checkpoint_) == names_ && stamps_of(checkpoint_, names_) == stamps_;
  } catch (const Error&) {
    return false;
  }
}

bool PackedCache::are_sources(const std::vector<io::PackedSource>& sources, int threads) const {
  return std::ranges::equal(sources, names_, [&](const io::PackedSource& then, const std::string& name) {
    return then.name == name && then.content == io::content_hash(checkpoint_ / name, threads);
  });
}

std::optional<engine::PackedPieces> PackedCache::find(engine::Precision precision, int threads) {
  try {
    const auto file = file_for(precision);
    if (names_.empty() || !is_there(file)) return std::nullopt;
    const auto kept = io::PackedFile::open(file);
    if (kept.origin().settings != settings_of(precision)) {
      rejected_ = "of another version";
    } else if (!are_sources(kept.origin().sources, threads)) {
      rejected_ = "of other weights";
    } else {
      kept.check(threads);
      was_found_ = true;
      notice_ = fmt::format("cache: {} holds the packed weights", path_text(file));
      return engine::PackedPieces{kept.pieces(), kept.file()};
    }
  } catch (const Error& error) {
    rejected_ = error.what();
  }
  return std::nullopt;
}

void PackedCache::reject(const std::string& reason) {
  was_found_ = false;
  rejected_ = reason;
}

io::PackedOrigin PackedCache::origin(engine::Precision precision, int threads) const {
  io::PackedOrigin origin{settings_of(precision), {}};
  for (const auto& name : names_) origin.sources.push_back({name, io::content_hash(checkpoint_ / name, threads)});
  return origin;
}

void PackedCache::keep(const engine::PackedPieces& pieces, engine::Precision precision, int threads) {
  if (was_found_) return;
  const auto unless_empty = [](std::string_view before, const std::string& reason) {
    return reason.empty() ? "" : fmt::format("{}{}", before, reason);
  };
  try {
    const auto file = file_for(precision);
    const auto origin = this->origin(precision, threads);
    if (!is_current()) throw IoError(path_text(checkpoint_), "the checkpoint was changed while it was read");
    if (is_there(file) && !io::is_packed_file(file)) {
      throw IoError(path_text(file), "expected a file of packed weights, got another");
    }
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) throw IoError(path_text(folder_), fmt::format("cannot be made: {}", errno_text(failed.value())));
    io::write_packed_file(file, origin, pieces.by_name);
    notice_ = fmt::format("cache: {} was written{}", path_text(file),
                          unless_empty(" in place of what was not used: ", rejected_));
  } catch (const Error& error) {
    const bool said = rejected_ == error.what();
    notice_ = fmt::format("cache: nothing was kept: {}{}", error.what(),
                          unless_empty("; what is there is not used: ", said ? std::string() : rejected_));
  }
}

}  // namespace summand::api
