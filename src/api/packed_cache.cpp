#include "api/packed_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

/// A file that was changed so shortly before its stamp was kept could have been changed again within a step of the
/// system's clock, and keep its stamp: of such the contents count alone.
constexpr std::chrono::nanoseconds kLongEnoughAgo = std::chrono::seconds(2);
constexpr io::FileStamp kNoStamp{};

bool is_settled(const io::FileStamp& stamp) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(std::max(stamp.modified, stamp.changed)) < now - kLongEnoughAgo;
}

/// In the checkpoint's own folder the set and the precision tell the files apart; elsewhere the checkpoint's place does
/// too.
std::string file_name(const fs::path& folder, const fs::path& checkpoint, engine::Precision precision) {
  constexpr size_t kLongestName = 40;
  std::error_code failed;
  std::string name = "summand";
  if (!fs::equivalent(folder, checkpoint, failed)) {
    const fs::path place = fs::canonical(checkpoint);
    name = place.filename().string().substr(0, kLongestName);
    std::ranges::replace_if(
        name, [](char c) { return !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z'); },
        '_');
    Hash hash;
    hash.add(place.string());
    name += fmt::format("-{:016x}", hash.value());
  }
  return fmt::format("{}.{}.{}.packed", name, engine::chosen_kernel_set().name, model::name_of(precision));
}

std::map<std::string, std::string> settings_of(engine::Precision precision) {
  return {{"format", std::to_string(engine::kPackedFormat)},
          {"summand", std::string(version())},
          {"kernels", std::string(engine::chosen_kernel_set().name)},
          {"precision", std::string(model::name_of(precision))}};
}

}  // namespace

PackedCache::PackedCache(const fs::path& folder, const fs::path& checkpoint, engine::Precision precision)
    : checkpoint_(checkpoint), precision_(precision), folder_(folder) {
  std::error_code failed;
  const auto status = fs::status(folder, failed);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError("cache", fmt::format("{}: expected a folder, got something else", path_text(folder)));
  }
  file_ = folder / file_name(folder, checkpoint, precision);
  files_ = stamped_files();
}

std::vector<io::StampedFile> PackedCache::stamped_files() const {
  auto names = io::weight_file_names(checkpoint_);
  names.emplace_back("config.json");
  std::vector<io::StampedFile> files;
  for (const auto& name : names) files.push_back(io::stamped(checkpoint_ / name));
  return files;
}

bool PackedCache::is_of_now() const {
  return stamped_files() == files_;
}

bool PackedCache::are_sources(const std::vector<io::PackedSource>& sources, int threads) const {
  return std::ranges::equal(sources, files_, [&](const io::PackedSource& then, const io::StampedFile& now) {
    if (then.name != now.path.filename().string()) return false;
    return then.stamp == now.stamp || then.hash == io::hash_of_file(now.path, threads);
  });
}

std::optional<engine::PackedPieces> PackedCache::find(int threads) {
  try {
    if (!is_there(file_)) return std::nullopt;
    const auto kept = io::PackedFile::open(file_);
    if (kept.origin().settings != settings_of(precision_)) {
      rejected_ = "of another version";
    } else if (!are_sources(kept.origin().sources, threads)) {
      rejected_ = "of other weights";
    } else {
      kept.check(threads);
      notice_ = fmt::format("cache: {} holds the packed weights", path_text(file_));
      return engine::PackedPieces{kept.pieces(), kept.file()};
    }
  } catch (const Error& error) {
    rejected_ = error.what();
  }
  return std::nullopt;
}

void PackedCache::reject(const std::string& reason) {
  rejected_ = reason;
}

io::PackedOrigin PackedCache::origin(int threads) const {
  io::PackedOrigin origin{settings_of(precision_), {}};
  for (const auto& [path, stamp] : files_) {
    origin.sources.push_back({.name = path.filename().string(),
                              .stamp = is_settled(stamp) ? stamp : kNoStamp,
                              .hash = io::hash_of_file(path, threads)});
  }
  return origin;
}

void PackedCache::keep(const engine::PackedPieces& pieces, int threads) {
  const std::string before = rejected_.empty() ? "" : fmt::format(" in place of what was there ({})", rejected_);
  try {
    const auto origin = this->origin(threads);
    if (!is_of_now()) {
      notice_ = "cache: nothing was kept, as the checkpoint was changed while it was read";
      return;
    }
    std::error_code failed;
    fs::create_directory(folder_, failed);  // or writing says what is wrong
    io::write_packed_file(file_, origin, pieces.by_name);
    notice_ = fmt::format("cache: {} was written{}", path_text(file_), before);
  } catch (const Error& error) {
    notice_ = fmt::format("cache: nothing was kept: {}", error.what());
  }
}

}  // namespace summand::api
