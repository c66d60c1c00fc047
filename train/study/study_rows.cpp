#include "train/study/study_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "train/study/real_number.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kHeader =
    "task,arm,seed,learning_rate,data,gap,excess,hidden_boundary,diverged,tokens,strata,curve";

std::string optional_text(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

/// "topic:0.03:1.2:501;…": name, excess, gap, how many are asked.
std::string text_of(const std::map<std::string, Stratum>& strata) {
  std::string text;
  for (const auto& [name, stratum] : strata) {
    fmt::format_to(std::back_inserter(text), "{}{}:{}:{}:{}", text.empty() ? "" : ";", name, stratum.excess,
                   stratum.gap, stratum.asked);
  }
  return text;
}

/// "100:0.96:0.1:0.5;…": step, excess; share by distance, and in circles, if there is one.
std::string text_of(const std::vector<CurvePoint>& curve) {
  std::string text;
  for (const CurvePoint& point : curve) {
    fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : ";", point.step, point.excess);
    for (const auto share : {point.distance_share, point.circle_share}) {
      if (share) fmt::format_to(std::back_inserter(text), ":{}", *share);
    }
  }
  return text;
}

/// Parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A line of rows.csv as it is read.
class Line {
 public:
  Line(std::string_view text, std::string where) : cells_(split(text, ',')), where_(std::move(where)) {
    if (cells_.size() != split(kHeader, ',').size()) refuse("as many cells as the header has names");
  }

  [[nodiscard]] std::string_view next() { return cells_[at_++]; }
  template <class Number>
  [[nodiscard]] Number number(std::string_view text) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse(fmt::format("a number, got '{}'", printable(text)));
    return value;
  }
  template <class Number>
  [[nodiscard]] Number next_number() {
    return number<Number>(next());
  }
  /// Lists of numbers and names: "a:1:2;b:3:4".
  template <class Read>
  void each(std::string_view text, size_t least, size_t most, Read&& read) const {
    if (text.empty()) return;
    for (const std::string_view item : split(text, ';')) {
      const std::vector<std::string_view> parts = split(item, ':');
      if (parts.size() < least || parts.size() > most)
        refuse(fmt::format("{} parts between ':', got '{}'", least, printable(item)));
      read(parts);
    }
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    throw ConfigError(where_, fmt::format("expected {}", expected));
  }

 private:
  std::vector<std::string_view> cells_;
  std::string where_;
  size_t at_ = 0;
};

StudyRow row_from(Line& line) {
  StudyRow row;
  row.task = line.next();
  row.arm = line.next();
  row.seed = line.next_number<uint64_t>();
  row.learning_rate = line.next_number<double>();
  row.data = line.next();
  row.gap = line.next_number<double>();
  row.excess = line.next_number<double>();
  if (const auto text = line.next(); !text.empty()) row.hidden_boundary = line.number<double>(text);
  const std::string_view diverged = line.next();
  if (diverged != "yes" && diverged != "no") line.refuse(fmt::format("yes or no, got '{}'", printable(diverged)));
  row.diverged = diverged == "yes";
  row.tokens = line.next_number<uint64_t>();
  line.each(line.next(), 4, 4, [&](const auto& parts) {
    row.strata[std::string(parts[0])] = {.excess = line.number<double>(parts[1]),
                                         .gap = line.number<double>(parts[2]),
                                         .asked = line.number<size_t>(parts[3])};
  });
  line.each(line.next(), 2, 4, [&](const auto& parts) {
    CurvePoint point{.step = line.number<int64_t>(parts[0]), .excess = line.number<double>(parts[1])};
    if (parts.size() > 2) point.distance_share = line.number<double>(parts[2]);
    if (parts.size() > 3) point.circle_share = line.number<double>(parts[3]);
    row.curve.push_back(point);
  });
  if (!(row.gap > 0) || !std::isfinite(row.gap)) line.refuse("a gap above 0");
  if (!std::isfinite(row.excess)) line.refuse("an excess that is a number");
  return row;
}

}  // namespace

std::optional<double> StudyRow::tokens_to(double share) const {
  if (diverged || curve.empty()) return std::nullopt;
  const double most = (1 - share) * gap, steps = static_cast<double>(curve.back().step);
  CurvePoint before{.step = 0, .excess = gap};
  for (const CurvePoint& point : curve) {
    if (point.excess <= most) {
      const double part = (before.excess - most) / (before.excess - point.excess);
      const double step = static_cast<double>(before.step) + part * static_cast<double>(point.step - before.step);
      return step / steps * static_cast<double>(tokens);
    }
    before = point;
  }
  return std::nullopt;
}

const StudyRow* find_row(const std::vector<StudyRow>& rows, std::string_view task, std::string_view arm,
                         uint64_t seed) {
  const auto found = std::ranges::find_if(
      rows, [&](const StudyRow& row) { return row.task == task && row.arm == arm && row.seed == seed; });
  return found == rows.end() ? nullptr : &*found;
}

OrderedJson to_json(const StudyRow& row) {
  OrderedJson json{{"task", row.task}, {"arm", row.arm}, {"seed", row.seed},    {"learning_rate", row.learning_rate},
                   {"data", row.data}, {"gap", row.gap}, {"excess", row.excess}};
  if (row.hidden_boundary) json["hidden_boundary"] = *row.hidden_boundary;
  json["diverged"] = row.diverged;
  json["tokens"] = row.tokens;
  json["strata"] = OrderedJson::object();
  for (const auto& [name, stratum] : row.strata) {
    json["strata"][name] = {{"excess", stratum.excess}, {"gap", stratum.gap}, {"asked", stratum.asked}};
  }
  json["curve"] = OrderedJson::array();
  for (const CurvePoint& point : row.curve) {
    OrderedJson one{{"step", point.step}, {"excess", point.excess}};
    if (point.distance_share) one["distance_share"] = *point.distance_share;
    if (point.circle_share) one["circle_share"] = *point.circle_share;
    json["curve"].push_back(std::move(one));
  }
  return json;
}

StudyRow read_row(const std::filesystem::path& path) {
  const JsonObject object(read_json(path), path.string());
  const auto text = [&](std::string_view key) { return object.require(key, object.string(key), "a string"); };
  const auto number = [](const JsonObject& of, std::string_view key) {
    return of.require(key, of.number(key), "a whole number");
  };
  StudyRow row{.task = text("task"), .arm = text("arm"), .seed = number(object, "seed")};
  row.learning_rate = real_number(object, "learning_rate");
  row.data = text("data");
  row.gap = real_number(object, "gap");
  row.excess = real_number(object, "excess");
  row.hidden_boundary = optional_real(object, "hidden_boundary");
  row.diverged = object.require("diverged", object.boolean("diverged"), "true or false");
  row.tokens = number(object, "tokens");
  if (!(row.gap > 0)) object.refuse("gap", "above 0");
  const JsonObject strata = object.object_or_empty("strata");
  for (const auto& [name, value] : strata.json().items()) {
    const JsonObject stratum = strata.below(name, value);
    row.strata[name] = {.excess = real_number(stratum, "excess"),
                        .gap = real_number(stratum, "gap"),
                        .asked = number(stratum, "asked")};
  }
  const Json* curve = object.find("curve");
  if (curve == nullptr || !curve->is_array()) object.refuse("curve", "a list of objects");
  for (const Json& value : *curve) {
    const JsonObject point = object.below("curve", value);
    row.curve.push_back({.step = static_cast<int64_t>(number(point, "step")),
                         .excess = real_number(point, "excess"),
                         .distance_share = optional_real(point, "distance_share"),
                         .circle_share = optional_real(point, "circle_share")});
  }
  return row;
}

std::string to_csv(const std::vector<StudyRow>& rows) {
  std::string csv = fmt::format("{}\n", kHeader);
  for (const StudyRow& row : rows) {
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{}\n", row.task, row.arm, row.seed,
                   row.learning_rate, row.data, row.gap, row.excess, optional_text(row.hidden_boundary),
                   row.diverged ? "yes" : "no", row.tokens, text_of(row.strata), text_of(row.curve));
  }
  return csv;
}

std::vector<StudyRow> rows_from_csv(std::string_view text, std::string_view where) {
  std::vector<StudyRow> rows;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line != kHeader)
      throw ConfigError(fmt::format("{}:1", where), fmt::format("expected the header '{}'", kHeader));
    if (number == 1 || line.empty()) continue;
    Line cells(line, fmt::format("{}:{}", where, number));
    rows.push_back(row_from(cells));
  }
  return rows;
}

}  // namespace summand::train
