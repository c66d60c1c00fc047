#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "support/sanitized.hpp"
#include "trust/damage.hpp"
#include "trust/trial.hpp"
#include "trust/valid_checkpoints.hpp"

using namespace summand;
using namespace summand::trust;

namespace {

constexpr uint32_t kStep = test::kSanitized ? 10 : 1;  // of the values replaced in turn, one in so many
constexpr uint32_t kRounds = 10'000 / kStep;
constexpr uint32_t kShare =
    5;  // of each test, the first or every fifth part runs every time, the rest in the long entry

/// SUMMAND_DAMAGE_SEED=17 repeats one round and tells what it does.
std::optional<uint32_t> asked_seed() {
  const char* text = std::getenv("SUMMAND_DAMAGE_SEED");
  return text ? std::optional(static_cast<uint32_t>(std::strtoul(text, nullptr, 10))) : std::nullopt;
}

void load_damaged(uint32_t first, uint32_t end) {
  watch();
  const auto valid = valid_checkpoints();
  const auto only = asked_seed();
  Trial trial;
  for (uint32_t seed = only.value_or(first); seed < (only ? *only + 1 : end); ++seed) {
    const auto& [name, files] = valid[seed % valid.size()];
    const Damaged damage = damaged(files, seed);
    const std::string message =
        trial.run(damage, fmt::format("SUMMAND_DAMAGE_SEED={}, {}: {}", seed, name, damage.what));
    if (only) fmt::print("{}: {}\n{}\n", name, damage.what, message.empty() ? "loaded" : message);
  }
  if (!only) trial.finish();
}

void load_replaced_values(bool (*is_chosen)(size_t number)) {
  watch();
  Trial trial;
  size_t number = 0;
  for (const auto& [name, files] : valid_checkpoints()) {
    for_each_replaced_value(files, [&](const Damaged& damage) {
      const size_t at = number++;
      if (at % kStep == 0 && is_chosen(at / kStep)) trial.run(damage, fmt::format("{}: {}", name, damage.what));
    });
  }
  trial.finish();
}

}  // namespace

TEST_CASE("checkpoints that are whole load") {
  TrialDirectory directory;
  for (const auto& [name, files] : valid_checkpoints()) {
    directory.fill({.files = files, .removed_for = {}, .what = {}});
    const Outcome outcome = outcome_of(directory.path());
    CHECK_MESSAGE(outcome.message.empty(), fmt::format("{}: {}", name, outcome.message));
    fmt::print("{}: {} bytes, {:.1f} MB to load and run, {:.0f} ms\n", name, size_of(files),
               static_cast<double>(outcome.memory) / 1e6, outcome.seconds * 1e3);
  }
}

TEST_CASE("a damaged checkpoint loads or is refused in one line, within its size and 100 MB") {
  load_damaged(0, kRounds / kShare);
}

TEST_CASE("so does every other damaged checkpoint" * doctest::test_suite("long")) {
  load_damaged(kRounds / kShare, kRounds);
}

TEST_CASE("any value in a configuration may be anything") {
  load_replaced_values([](size_t number) { return number % kShare == 0; });
}

TEST_CASE("so may every other value" * doctest::test_suite("long")) {
  load_replaced_values([](size_t number) { return number % kShare != 0; });
}
