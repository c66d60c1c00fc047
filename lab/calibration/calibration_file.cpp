#include "lab/calibration/calibration_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "lab/results/findings_json.hpp"

namespace summand::lab {

namespace calibration_file {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kSchema = 1;

OrderedJson json_of(const std::optional<Rate>& rate) {
  if (!rate) return {};
  return {{"value", rate->value()}, {"interval", rate->interval()}, {"seen", rate->seen}, {"of", rate->of}};
}

OrderedJson json_of(const std::optional<JudgedTruths>& judged) {
  if (!judged) return {};
  OrderedJson json{{"truths", judged->counts.total()},
                   {"holds", judged->counts.holds},
                   {"fails", judged->counts.fails},
                   {"cannot_be_told", judged->counts.cannot_be_told},
                   {"not_measured", judged->counts.not_measured},
                   {"seeded", judged->stable.of},
                   {"stable", judged->stable.seen},
                   {"number", OrderedJson()}};
  if (const auto& number = judged->number) {
    json["number"] = {number->lowest, number->lower, number->middle, number->upper, number->highest};
  }
  return json;
}

OrderedJson json_of(const CalibratedFamily& family) {
  return {{"name", family.name}, {"words", family.words},          {"true", family.is_true},
          {"size", family.size}, {"quick", json_of(family.quick)}, {"full", json_of(family.full)}};
}

OrderedJson rates_of(const CalibratedClaim& claim, RunLength length) {
  return {{"power", json_of(claim.power(length))},
          {"false_positive_rate", json_of(claim.false_positives(length))},
          {"true_judged_fails", json_of(claim.rate(true, Observation::fails, length))},
          {"stability", json_of(claim.stability(length))}};
}

OrderedJson json_of(const CalibratedClaim& claim) {
  OrderedJson json{{"claim", claim.claim},
                   {"experiment", claim.experiment},
                   {"rule", claim.rule},
                   {"version", claim.version},
                   {"seed", claim.seed},
                   {"number", {{"name", claim.number}, {"label", claim.label}}},
                   {"thresholds", OrderedJson::array()},
                   {"lacking", claim.lacking},
                   {"quick", rates_of(claim, RunLength::quick)},
                   {"full", rates_of(claim, RunLength::full)},
                   {"families", OrderedJson::array()}};
  for (const auto& one : claim.thresholds) json["thresholds"].push_back({{"name", one.name}, {"value", one.value}});
  for (const auto& family : claim.families) json["families"].push_back(json_of(family));
  return json;
}

std::optional<JudgedTruths> judged_of(const Json& json) {
  if (json.is_null()) return {};
  JudgedTruths judged{.counts = {.holds = json.at("holds"),
                                 .fails = json.at("fails"),
                                 .cannot_be_told = json.at("cannot_be_told"),
                                 .not_measured = json.at("not_measured")},
                      .stable = {.seen = json.at("stable"), .of = json.at("seeded")}};
  if (const auto& number = json.at("number"); !number.is_null()) {
    judged.number = Quantiles{.lowest = number.at(0),
                              .lower = number.at(1),
                              .middle = number.at(2),
                              .upper = number.at(3),
                              .highest = number.at(4)};
  }
  return judged;
}

CalibratedClaim claim_of(const Json& json) {
  CalibratedClaim claim{.claim = json.at("claim"),
                        .experiment = json.at("experiment"),
                        .rule = json.at("rule"),
                        .version = json.at("version"),
                        .seed = json.at("seed"),
                        .number = json.at("number").at("name"),
                        .label = json.at("number").at("label"),
                        .lacking = json.at("lacking")};
  for (const auto& one : json.at("thresholds")) claim.thresholds.push_back({one.at("name"), one.at("value")});
  for (const auto& one : json.at("families")) {
    claim.families.push_back({.name = one.at("name"),
                              .words = one.at("words"),
                              .size = one.at("size"),
                              .is_true = one.at("true"),
                              .quick = judged_of(one.at("quick")),
                              .full = judged_of(one.at("full"))});
  }
  return claim;
}

}  // namespace
}  // namespace calibration_file

std::string calibration_json(const Calibration& calibration) {
  using namespace calibration_file;
  OrderedJson json{{"schema", kSchema}, {"claims", OrderedJson::array()}, {"without", OrderedJson::array()}};
  for (const auto& claim : calibration.claims) json["claims"].push_back(json_of(claim));
  for (const auto& one : calibration.without) {
    json["without"].push_back({{"claim", one.claim}, {"experiment", one.experiment}, {"reason", one.reason}});
  }
  return json.dump(1) + "\n";
}

Calibration read_calibration(std::string_view text, std::string_view where) {
  using namespace calibration_file;
  const Json json = parse_json(text, where);
  try {
    if (json.at("schema") != kSchema) {
      throw ConfigError(where, fmt::format("expected schema {}, got {}", kSchema, shown(json.at("schema"))));
    }
    Calibration calibration;
    for (const auto& claim : json.at("claims")) calibration.claims.push_back(claim_of(claim));
    for (const auto& one : json.at("without")) {
      calibration.without.push_back({one.at("claim"), one.at("experiment"), one.at("reason")});
    }
    return calibration;
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(where, fmt::format("expected what 'summand lab calibrate' writes: {}", error.what()));
  }
}

const Calibration& calibration() {
  static const Calibration built_in = read_calibration(built_in_calibration(), "calibration.json");
  return built_in;
}

}  // namespace summand::lab
