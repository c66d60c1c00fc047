#include "lab/calibrate/kept_counts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/core/localize.hpp"

namespace summand::lab {

namespace {

/// Whether the same truths were planted: their name, their ranges as their words have them, and their size.
bool is_same_family(const CalibratedFamily& one, const CalibratedFamily& other) {
  return one.name == other.name && one.words == other.words && one.size == other.size && one.is_true == other.is_true;
}

bool is_same_trial(const CalibratedClaim& one, const CalibratedClaim& other) {
  return one.rule == other.rule && one.seed == other.seed && one.number == other.number &&
         std::ranges::equal(one.families, other.families, is_same_family);
}

bool has_counts(const CalibratedClaim* claim, RunLength length) {
  return claim != nullptr && std::ranges::any_of(claim->families, [&](const CalibratedFamily& family) {
           return family.judged(length).has_value();
         });
}

LocalizedText draws_of(const std::vector<std::string>& claims, const char* draws) {
  return localize(std::string("calibrate.counts.") + draws, {{"claims", fmt::format("{}", fmt::join(claims, ", "))}});
}

/// One behind the other.
LocalizedText joined(const std::vector<LocalizedText>& parts) {
  LocalizedText text;
  for (const auto& part : parts) {
    text.en += (text.en.empty() ? "" : ", ") + part.en;
    text.zh += (text.zh.empty() ? "" : "、") + part.zh;
  }
  return text;
}

}  // namespace

void keep_other_counts(CalibratedClaim& made, const CalibratedClaim* before) {
  if (before == nullptr || !is_same_trial(made, *before)) return;
  for (size_t i = 0; i < made.families.size(); ++i) {
    auto& family = made.families[i];
    if (!family.quick) family.quick = before->families[i].quick;
    if (!family.full) family.full = before->families[i].full;
  }
}

LocalizedText words_of_counts(const Calibration& made, const Calibration& before,
                              const std::vector<std::string>& measured, bool quick) {
  std::vector<std::string> kept;
  std::vector<std::string> let_go;
  for (const auto& claim : measured) {
    if (!quick || !has_counts(before.find(claim), RunLength::full)) continue;
    (has_counts(made.find(claim), RunLength::full) ? kept : let_go).push_back(claim);
  }
  std::vector<LocalizedText> stood;
  if (!kept.empty()) stood.push_back(draws_of(kept, "full"));
  if (measured.size() < made.claims.size()) stood.push_back(localize("calibrate.counts.others"));
  const LocalizedText now =
      measured.empty() ? localize("calibrate.counts.none") : draws_of(measured, quick ? "quick" : "both");
  return localize(
      "calibrate.counts.line",
      {{"measured", now},
       {"kept", stood.empty() ? LocalizedText{} : localize("calibrate.counts.kept", {{"rows", joined(stood)}})},
       {"let_go",
        let_go.empty() ? LocalizedText{} : localize("calibrate.counts.let_go", {{"rows", draws_of(let_go, "full")}})}});
}

}  // namespace summand::lab
