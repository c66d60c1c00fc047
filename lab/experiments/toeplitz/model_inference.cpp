#include "lab/experiments/toeplitz/model_inference.hpp"

#include "lab/core/number_builder.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/masked_language.hpp"

namespace summand::lab::toeplitz {

namespace {

constexpr double kMostOf = 0.5;

constexpr NumberName kMeasured{"toeplitz", "measured_by_distance"};
constexpr NumberName kLaid{"toeplitz", "measured_laid_sinusoid"};
constexpr NumberName kPlain{"toeplitz", "measured_plain_sinusoid"};
constexpr NumberName kOneSided{"toeplitz", "measured_one_sided"};
constexpr NumberName kMeasuredTexts{"toeplitz", "measured_texts"};

LocalizedText words_of_gaussians() {
  return localize("toeplitz.beside.measured", {{"draws", kDraws}});
}

void add_shares(const MeasuredShares& measured, Numbers& numbers) {
  const auto number = [&](const NumberName& name, const MeasuredShare& share, const LocalizedText& null) {
    return NumberBuilder(name, share.own, {{"texts", measured.texts}})
        .interval(share.interval)
        .null(share.gaussians, null);
  };
  const auto beside_laid = [&](const NumberName& name, const UnderOwnForms& of, MeasuredShare UnderOwnForms::*share) {
    const MeasuredShare& laid = measured.laid.*share;
    numbers.add(number(name, of.*share, words_of_gaussians())
                    .control(laid.own, localize("toeplitz.beside.laid"), laid.interval));
  };
  beside_laid(kMeasured, measured.table, &UnderOwnForms::by_distance);
  numbers.add(number(kLaid, measured.laid.by_distance, localize("toeplitz.beside.gaussian_waves", {{"draws", kDraws}}))
                  .control(1, localize("toeplitz.beside.function_of_distance")));
  beside_laid(kPlain, measured.plain, &UnderOwnForms::by_distance);
  beside_laid(kOneSided, measured.table, &UnderOwnForms::one_sided);
}

/// From half on, and over 97.5 % of the Gaussian tables.
bool passes(const Number& share) {
  return share.interval->low >= kMostOf && share.interval->low > share.null->interval->high;
}

/// Below half, or below 97.5 % of the Gaussian tables.
bool fails(const Number& share) {
  return share.interval->high < kMostOf || share.interval->high < share.null->interval->low;
}

}  // namespace

void add_measured(const std::optional<MeasuredShares>& measured, const Subject& subject, const Conditions& conditions,
                  Findings& findings) {
  Numbers& numbers = findings.numbers["4.5"];
  if (measured) add_shares(*measured, numbers);
  const double texts = measured ? static_cast<double>(measured->texts) : 0;
  numbers.add(NumberBuilder(kMeasuredTexts, texts)
                  .null(texts, words_of_gaussians())
                  .control(static_cast<double>(kTexts), localize("toeplitz.beside.full_run")));
  if (conditions.quick) {
    findings.left_out.push_back(localize("toeplitz.left_out.measured", {{"texts", kTexts}}));
    return;
  }
  if (!measured) {
    findings.remarks.push_back(localize("toeplitz.remarks.not_measured", measured_settings()));
    return;
  }
  const bool has_loss = !lacks_masked_language(subject);
  findings.remarks.push_back(
      localize("toeplitz.remarks.measured", {{"first", kPairPlaces[0] + 1},
                                             {"second", kPairPlaces[1] + 1},
                                             {"directions", Interaction::kDirections},
                                             {"loss", has_loss ? localize("toeplitz.remarks.loss") : LocalizedText{}},
                                             {"components", measured->components},
                                             {"percent", 100 * measured->variance}}));
}

std::optional<Inference> inference_of_model(const Numbers& numbers) {
  if (find_number(numbers, kMeasuredTexts) == nullptr) return {};
  if (numbers.value(kMeasuredTexts) < static_cast<double>(kLeastTexts) || !passes(numbers.at(kLaid))) {
    return Inference::not_tested;
  }
  const Number& own = numbers.at(kMeasured);
  if (fails(own)) return Inference::does_not_follow;
  return passes(own) ? Inference::follows : Inference::not_tested;
}

LocalizedText reason_of_measured(const Numbers& numbers) {
  const Number* own = find_number(numbers, kMeasured);
  if (own == nullptr) return {};
  const Number& laid = numbers.at(kLaid);
  return localize("toeplitz.reason.measured", {{"own", own->value},
                                               {"low", own->interval->low},
                                               {"high", own->interval->high},
                                               {"texts", numbers.value(kMeasuredTexts)},
                                               {"gaussian_low", own->null->interval->low},
                                               {"gaussian_high", own->null->interval->high},
                                               {"laid", laid.value},
                                               {"laid_low", laid.interval->low},
                                               {"laid_high", laid.interval->high},
                                               {"waves_low", laid.null->interval->low},
                                               {"waves_high", laid.null->interval->high}});
}

LocalizedText answer_of_measured(const Numbers& numbers) {
  if (find_number(numbers, kMeasuredTexts) == nullptr) return localize("toeplitz.answer.table_alone");
  const Number* own = find_number(numbers, kMeasured);
  if (own == nullptr) return {};
  return localize("toeplitz.answer.measured", {{"own", 100 * own->value},
                                               {"low", 100 * own->interval->low},
                                               {"high", 100 * own->interval->high},
                                               {"laid", 100 * numbers.value(kLaid)}});
}

FormatArgs measured_settings() {
  return {{"half", kMostOf},
          {"texts", kLeastTexts},
          {"tokens", kPairTokens},
          {"components", kComponents},
          {"variance", 100 * kLeastVariance}};
}

}  // namespace summand::lab::toeplitz
