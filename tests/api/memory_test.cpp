#include <doctest/doctest.h>
#include <fmt/format.h>
#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>

#include "api/embedding/embed_to_file.hpp"
#include "support/sanitized.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;
using test::TinyDirectory;

namespace {

constexpr size_t kWarm = 20'000;
constexpr size_t kTexts = 200'000;
/// Bytes of earlier texts' vectors: so few that the texts before kWarm fill them.
constexpr size_t kKept = size_t{1} << 18;
/// Far below one byte for each of the texts between: 180,000 forgotten allocations would be 5 MB.
constexpr double kMostGrowth = 2.0;  // MiB

struct Memory {
  double resident = 0;  // MiB
  double live = 0;      // MiB of allocations not given back
};

Memory memory_now() {
  constexpr double kMebibyte = 1024 * 1024;
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  statm >> pages >> resident;
  const auto heap = mallinfo2();
  return {.resident = resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / kMebibyte,
          .live = static_cast<double>(heap.uordblks + heap.hblkhd) / kMebibyte};
}

/// Of no token to three times the model's limit, mostly short: letters, words nobody knows, Chinese, invalid bytes.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kWords{"a", "b", "xyz", "\u4e2d", "?", "\xff\xfe", "\xe4\xb8", "[MASK]", "\t"};
  const size_t words = random() % 50 == 0 ? random() % 72 : random() % 6;
  std::string text;
  for (size_t i = 0; i < words; ++i) text += kWords[random() % kWords.size()] + " ";
  return text;
}

text::InputRecord random_record(std::mt19937& random) {
  text::InputRecord record;
  switch (random() % 8) {
    case 0:
      record.text = "a " + std::string(random() % 5, 'b');
      record.text_pair = random_text(random);
      break;
    case 1:
      record.words = std::vector<std::string>(random() % 20, "c");
      break;
    default:
      record.text = random_text(random);
  }
  return record;
}

}  // namespace

TEST_CASE("memory stays flat over 200,000 mixed texts, cut or divided into windows") {
  const TinyDirectory directory("memory");
  const auto model = LoadedModel::load(directory.name(), {.threads = 2});
  const auto out = std::filesystem::temp_directory_path() / fmt::format("summand_memory_{}.npy", ::getpid());
  for (const bool divided : {false, true}) {
    EmbedOptions options;
    if (divided) options.windows = WindowOptions{.overlap = 2};
    const Embedder embedder(model, options);
    EmbeddingFile file(out, {.width = embedder.width(), .existing = Existing::replace});
    std::mt19937 random(1);
    Memory warm;
    Memory end;
    size_t texts = 0;
    const auto next = [&]() -> std::optional<text::InputRecord> {
      if (texts == kWarm) warm = memory_now();
      if (texts == kTexts) {
        end = memory_now();
        return std::nullopt;
      }
      ++texts;
      return random_record(random);
    };
    const auto report = embed_to_file(embedder, next, file, {.kept_bytes = kKept});
    file.commit();
    CHECK(report.texts == kTexts);
    CHECK((divided ? report.count.windows.texts_divided : report.count.texts_cut) > 1000);
    MESSAGE(fmt::format("windows {}: resident {:.1f} to {:.1f} MiB, live heap {:.1f} to {:.1f} MiB", divided,
                        warm.resident, end.resident, warm.live, end.live));
    if (!test::kSanitized) CHECK(end.resident - warm.resident < kMostGrowth);
    CHECK(end.live - warm.live < kMostGrowth);
  }
  std::filesystem::remove(out);
}
