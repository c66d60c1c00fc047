#include "lab/plant/plant.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/output_directory.hpp"
#include "lab/plant/expectations.hpp"
#include "lab/plant/planted_files.hpp"
#include "lab/subject/beyond_claims.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace plant {
namespace {

using TruthJson = nlohmann::ordered_json;

/// A table alone, by the names that --table takes, or a checkpoint.
bool names_a_table(const std::string& from) {
  return from.ends_with(".npy") || from.find(".safetensors") != from.npos;
}

Subject source_of(const PlantKind& kind, const std::string& from) {
  if (!names_a_table(from)) {
    auto subject = load_subject(from, {}, 0);
    require_claims(subject);
    return subject;
  }
  if (kind.model) {
    throw UsageError("--from",
                     fmt::format("expected a checkpoint for '{}', got a table, '{}'", kind.name, printable(from)));
  }
  try {
    return load_table(from);
  } catch (const UsageError& error) {
    throw UsageError("--from", error.message());  // says --table: the same names
  }
}

PlantedTableSettings table_settings(const PlantOptions& options, const Table* source) {
  PlantedTableSettings settings;
  const auto take = [](auto& setting, const auto& option) {
    if (option) setting = *option;
  };
  take(settings.rows, options.rows);
  take(settings.columns, options.columns);
  take(settings.length, options.length);
  take(settings.base, options.base);
  take(settings.frequencies, options.frequencies);
  take(settings.turns, options.turns);
  take(settings.circles, options.circles);
  take(settings.ratio, options.ratio);
  take(settings.drift, options.drift);
  take(settings.noise, options.noise);
  take(settings.low, options.low);
  take(settings.high, options.high);
  settings.source = source;
  return settings;
}

PlantedModelSettings model_settings(const PlantOptions& options, const Subject& source) {
  const PlantedModelSettings defaults;
  return {.scale = options.scale.value_or(defaults.scale),
          .shift = options.shift.value_or(defaults.shift),
          .layers = options.layers.value_or(defaults.layers),
          .hidden = options.hidden.value_or(defaults.hidden),
          .heads = options.heads.value_or(defaults.heads),
          .unreached = unreached_ids(source)};
}

TruthJson parameters_json(const PlantOptions& options) {
  TruthJson object = TruthJson::object();
  visit_plant_options([&](std::string_view name, auto field, const char*) {
    if constexpr (!std::is_same_v<decltype(field), std::optional<std::string> PlantOptions::*>) {
      if (options.*field) object[std::string(name.substr(2))] = *(options.*field);
    }
  });
  return object;
}

TruthJson json_of(const Expectation& expectation) {
  const auto value = std::visit(
      [](const auto& what) {
        if constexpr (std::is_same_v<std::decay_t<decltype(what)>, Observation>) {
          return TruthJson(words_of(what).en);
        } else {
          return TruthJson(what);
        }
      },
      expectation.what);
  constexpr std::array kNames{"must", "must_not", "is"};
  return {{kNames.at(static_cast<size_t>(expectation.demand)), value}, {"why", expectation.why}};
}

std::string line_of(const Expectation& expectation) {
  const auto json = json_of(expectation);
  const std::string& name = json.begin().key();
  const auto& value = json.begin().value();
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const std::string demand = name == "must_not" ? "must not come out as" : name == "must" ? "must come out as" : "is";
  return fmt::format("  {} {} {}: {}\n", expectation.of, demand, text, expectation.why);
}

/// What was drawn, before it is written.
struct Drawn {
  TruthJson json = TruthJson::object();
  std::vector<Expectation> truth;
  std::string what;  ///< "a table of 512 x 384"
};

TruthJson head_json(const PlantRequest& request, const PlantOptions& options, const std::optional<Subject>& source) {
  TruthJson json{{"program", "summand lab plant"},
                 {"kind", request.kind},
                 {"parameters", parameters_json(options)},
                 {"seed", request.seed},
                 {"source", nullptr}};
  if (source) json["source"] = {{"path", *options.from}, {"hash", fmt::format("{:016x}", source->hash)}};
  return json;
}

RandomStream stream_of(const PlantRequest& request) {
  return {request.seed, "plant: " + request.kind};
}

Drawn draw_table(const PlantRequest& request, PlantedTable kind, const PlantedTableSettings& settings,
                 const io::OutputDirectory& out) {
  auto stream = stream_of(request);
  const Table table = planted_table(kind, settings, stream);
  write_planted_table(table, out);
  Drawn drawn;
  drawn.json["table"] = {{"rows", table.rows()}, {"columns", table.cols()}};
  drawn.truth = expectations_of(kind, settings);
  drawn.what = fmt::format("a table of {} x {}", table.rows(), table.cols());
  return drawn;
}

Drawn draw_model(const PlantRequest& request, PlantedModel kind, const RewrittenModel& model,
                 const io::Checkpoint& source, const io::OutputDirectory& out) {
  if (kind == PlantedModel::random) {
    write_random_model(model, source, out);
  } else {
    write_rewritten_model(model, source, out);
  }
  Drawn drawn;
  if (!model.permutation.empty()) drawn.json["permutation"] = model.permutation;
  if (kind == PlantedModel::scaled || kind == PlantedModel::rewritten) {
    drawn.json["epsilon_error"] = model.epsilon_error;
  }
  drawn.truth = expectations_of(kind, model, source.sentence);
  drawn.what = fmt::format("a checkpoint, {}", request.kind);
  return drawn;
}

void write_truth(const Drawn& drawn, TruthJson json, const io::OutputDirectory& out) {
  json.update(drawn.json);
  TruthJson truth = TruthJson::object();
  for (const auto& expectation : drawn.truth) truth[expectation.of] = json_of(expectation);
  json["truth"] = std::move(truth);
  write_planted_text("truth.json", json.dump(2) + "\n", out);
}

}  // namespace
}  // namespace plant

std::string plant_truth(const PlantRequest& request) {
  using namespace plant;
  const PlantKind& kind = plant_kind(request.kind);
  const PlantOptions options = with_defaults(kind, request.options);
  if (kind.table && !needs_source(*kind.table)) require_plantable(*kind.table, table_settings(options, nullptr));
  const auto source = options.from ? std::optional(source_of(kind, *options.from)) : std::nullopt;
  const auto settings = table_settings(options, source ? &source->positions : nullptr);
  if (kind.table) require_plantable(*kind.table, settings);
  auto stream = stream_of(request);
  const auto model = kind.model ? std::optional(rewritten_model(*kind.model, source->model->checkpoint(),
                                                                model_settings(options, *source), stream))
                                : std::nullopt;
  io::OutputDirectory out(request.out);
  const Drawn drawn = kind.table ? draw_table(request, *kind.table, settings, out)
                                 : draw_model(request, *kind.model, *model, source->model->checkpoint(), out);
  write_truth(drawn, head_json(request, options, source), out);
  out.commit();
  std::string text = fmt::format("{}: {}, and truth.json\n", path_text(request.out), drawn.what);
  for (const auto& expectation : drawn.truth) text += line_of(expectation);
  return text;
}

}  // namespace summand::lab
