#include "train/pretrain/token_folder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "io/output_directory.hpp"
#include "train/data/document_reader.hpp"
#include "train/data/write_tokens.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenLooks{100};

void make_folder(const fs::path& folder) {
  std::error_code failed;
  std::error_code unknown;
  fs::create_directories(folder, failed);
  if (fs::is_directory(folder, unknown)) return;
  if (fs::exists(folder, unknown)) throw IoError(path_text(folder), "expected a folder for tokens, got a file");
  throw IoError(path_text(folder), "a folder for tokens cannot be made: " + failed.message());
}

void write(const TokenRequest& request, const fs::path& path, const TellRun& tell) {
  DocumentReader reader(request.texts, request.fields);
  const auto on_step = [&](const TokenCounts& counts) {
    check_interruption();
    const std::string share = reader.bytes() > 0
                                  ? fmt::format(", {:.0f} %", 100 * static_cast<double>(reader.bytes_read()) /
                                                                  static_cast<double>(reader.bytes()))
                                  : "";
    tell({.kind = RunNews::Kind::tokens,
          .text = fmt::format("{} tokens of {} documents{}", counts.tokens, counts.documents, share)});
  };
  (void)write_tokens(reader, request.tokenizer, path, request.source, request.threads, on_step);
}

/// Until the tokens are there. A writer that ends, in whatever way, lets go of its lock: then this one takes over.
void make_or_wait(const TokenRequest& request, const fs::path& path, const TellRun& tell) {
  const auto are_there = [&] {
    std::error_code unknown;
    return fs::exists(path / kTokenIndex, unknown);
  };
  for (bool told = false; !are_there();) {
    try {
      write(request, path, tell);
    } catch (const io::OutputBusyError&) {
      if (!told) {
        tell({.kind = RunNews::Kind::notice,
              .text = fmt::format("{}: another run makes these tokens; waiting for it", path_text(path))});
      }
      told = true;
      check_interruption();
      std::this_thread::sleep_for(kBetweenLooks);
    } catch (const IoError&) {
      if (!are_there()) throw;  // else another run was faster
    }
  }
}

void look_at_unknown(const TokenFile& file, const std::string& texts, const TellRun& tell) {
  if (file.unknown() == file.tokens()) {
    throw TextError(
        texts, fmt::format("expected words that the tokenizer knows, got {} tokens that are all [UNK]", file.tokens()));
  }
  constexpr double kWorthALine = 0.001;
  const double share = static_cast<double>(file.unknown()) / static_cast<double>(file.tokens());
  if (share < kWorthALine) return;
  tell({.kind = RunNews::Kind::notice,
        .text = fmt::format("{}: {:.1f} % of {} tokens are [UNK]", texts, 100 * share, file.tokens())});
}

}  // namespace

TokenFile open_tokens(const TokenRequest& request, const TellRun& tell) {
  const fs::path path = request.folder / request.source;
  make_folder(request.folder);
  make_or_wait(request, path, tell);
  TokenFile file = TokenFile::open(path, request.tokenizer.vocabulary_size());
  if (file.source() != request.source) {
    throw TextError(path_text(path / kTokenIndex),
                    fmt::format("source: expected {}, got {}", request.source, printable(file.source())));
  }
  look_at_unknown(file, name_of_files(request.texts), tell);
  return file;
}

}  // namespace summand::train
