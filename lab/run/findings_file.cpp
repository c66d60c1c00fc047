#include "lab/run/findings_file.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"
#include "io/output_file.hpp"

// CBOR through the JSON library: numbers keep their bits, and those that are not finite stay what they are.
namespace summand::lab {

namespace {

using Json = nlohmann::json;

constexpr size_t kLongestFile = size_t{1} << 28;

Json to_json(const Words& words) {
  return {words.en, words.zh};
}
void from_json(const Json& json, Words& words) {
  words = {json.at(0), json.at(1)};
}

Json to_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}
void from_json(const Json& json, std::optional<Interval>& interval) {
  if (!json.is_null()) interval = {.low = json.at(0), .high = json.at(1)};
}

Json to_json(const std::optional<Beside>& beside) {
  return beside ? Json{beside->value, to_json(beside->interval), to_json(beside->of)} : Json();
}
void from_json(const Json& json, std::optional<Beside>& beside) {
  if (json.is_null()) return;
  beside.emplace().value = json.at(0);
  from_json(json.at(1), beside->interval);
  from_json(json.at(2), beside->of);
}

Json to_json(const Number& number) {
  return {number.name,          to_json(number.label),  number.value, to_json(number.interval),
          to_json(number.null), to_json(number.control)};
}
void from_json(const Json& json, Number& number) {
  number.name = json.at(0);
  from_json(json.at(1), number.label);
  number.value = json.at(2);
  from_json(json.at(3), number.interval);
  from_json(json.at(4), number.null);
  from_json(json.at(5), number.control);
}

Json to_json(const std::vector<Words>& list) {
  Json json = Json::array();
  for (const auto& words : list) json.push_back(to_json(words));
  return json;
}
void from_json(const Json& json, std::vector<Words>& list) {
  for (const auto& one : json) from_json(one, list.emplace_back());
}

Json to_json(const std::vector<double>& values) {
  return values;
}
Json to_json(const std::vector<std::string>& values) {
  return values;
}

/// A column's values stand behind the place of their kind in the variant.
Json to_json(const FigureData& data) {
  Json columns = Json::array();
  for (const auto& column : data.columns) {
    columns.push_back({column.name, column.values.index(),
                       std::visit([](const auto& values) { return to_json(values); }, column.values)});
  }
  return columns;
}
void from_json(const Json& json, FigureData& data) {
  for (const auto& one : json) {
    auto& column = data.columns.emplace_back(Column{one.at(0), {}});
    const Json& values = one.at(2);
    switch (one.at(1).get<size_t>()) {
      case 0:
        column.values = values.get<std::vector<double>>();
        break;
      case 1:
        column.values = values.get<std::vector<std::string>>();
        break;
      default:
        from_json(values, column.values.emplace<std::vector<Words>>());
    }
  }
}

Json to_json(const MatrixData& data) {
  return {{"rows", data.rows},
          {"columns", data.columns},
          {"values", data.values},
          {"row_label", to_json(data.row_label)},
          {"column_label", to_json(data.column_label)},
          {"value_label", to_json(data.value_label)},
          {"low", data.low},
          {"high", data.high},
          {"scale", data.scale}};
}
void from_json(const Json& json, MatrixData& data) {
  data.rows = json.at("rows");
  data.columns = json.at("columns");
  data.values = json.at("values").get<std::vector<float>>();
  from_json(json.at("row_label"), data.row_label);
  from_json(json.at("column_label"), data.column_label);
  from_json(json.at("value_label"), data.value_label);
  data.low = json.at("low");
  data.high = json.at("high");
  data.scale = json.at("scale");
}

Json to_json(const Figure& figure) {
  return {figure.name,
          to_json(figure.title),
          to_json(figure.caption),
          figure.specification,
          figure.data.index(),
          std::visit([](const auto& data) { return to_json(data); }, figure.data)};
}
void from_json(const Json& json, Figure& figure) {
  figure.name = json.at(0);
  from_json(json.at(1), figure.title);
  from_json(json.at(2), figure.caption);
  figure.specification = json.at(3);
  if (json.at(4) == 0) {
    from_json(json.at(5), figure.data.emplace<FigureData>());
  } else {
    from_json(json.at(5), figure.data.emplace<MatrixData>());
  }
}

Json to_json(const Findings& findings) {
  Json numbers = Json::object();
  for (const auto& [claim, of_claim] : findings.numbers) {
    Json& list = numbers[claim] = Json::array();
    for (const auto& number : of_claim.all()) list.push_back(to_json(number));
  }
  Json gaps = Json::object();
  for (const auto& [claim, words] : findings.gaps) gaps[claim] = to_json(words);
  Json figures = Json::array();
  for (const auto& figure : findings.figures) figures.push_back(to_json(figure));
  return {{"numbers", numbers},
          {"gaps", gaps},
          {"figures", figures},
          {"left_out", to_json(findings.left_out)},
          {"remarks", to_json(findings.remarks)}};
}
void from_json(const Json& json, Findings& findings) {
  for (const auto& [claim, list] : json.at("numbers").items()) {
    Numbers& numbers = findings.numbers[claim];
    for (const auto& one : list) {
      Number number;
      from_json(one, number);
      numbers.add(std::move(number));
    }
  }
  for (const auto& [claim, words] : json.at("gaps").items()) from_json(words, findings.gaps[claim]);
  for (const auto& one : json.at("figures")) from_json(one, findings.figures.emplace_back());
  from_json(json.at("left_out"), findings.left_out);
  from_json(json.at("remarks"), findings.remarks);
}

Json to_json(const RunSettings& settings) {
  return {{"quick", settings.quick},
          {"seed", settings.seed},
          {"corpus", settings.corpus},
          {"corpus_hash", settings.corpus_hash}};
}
void from_json(const Json& json, RunSettings& settings) {
  settings.quick = json.at("quick");
  settings.seed = json.at("seed");
  settings.corpus = json.at("corpus");
  settings.corpus_hash = json.at("corpus_hash");
}

/// Nothing where there is no such file, or one that is damaged: its experiment runs again.
std::optional<Json> read_file_of_findings(const std::filesystem::path& file) {
  try {
    if (!is_there(file)) return std::nullopt;
    return Json::from_cbor(read_file(file, kLongestFile));
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void keep_findings(const std::filesystem::path& file, uint64_t key, const KeptFindings& kept) {
  const Json json{{"key", key},
                  {"settings", to_json(kept.settings)},
                  {"seconds", kept.seconds},
                  {"findings", to_json(kept.findings)}};
  const auto bytes = Json::to_cbor(json);
  io::OutputFile out(file);
  out.write(std::as_bytes(std::span(bytes)));
  out.commit();
}

std::optional<KeptFindings> find_findings(const std::filesystem::path& file, uint64_t key) {
  const auto json = read_file_of_findings(file);
  if (!json) return std::nullopt;
  try {
    if (json->at("key") != key) return std::nullopt;
    KeptFindings kept;
    kept.seconds = json->at("seconds");
    from_json(json->at("settings"), kept.settings);
    from_json(json->at("findings"), kept.findings);
    return kept;
  } catch (const Json::exception&) {
    return std::nullopt;  // damaged: the experiment runs again
  }
}

std::optional<FindingsOrigin> find_origin(const std::filesystem::path& file) {
  const auto json = read_file_of_findings(file);
  if (!json) return std::nullopt;
  try {
    FindingsOrigin origin{.key = json->at("key"), .settings = {}};
    from_json(json->at("settings"), origin.settings);
    return origin;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace summand::lab
