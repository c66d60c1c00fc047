#include "summand/quantize.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/base_names.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "cli/whole_output.hpp"
#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

/// The value of --calibrate without a file; no file has this name.
const std::string kSample(1, '\0');

struct QuantizeRequest {
  CommonOptions common;
  ModelOptions model;
  std::string out;
  CLI::Option* calibrate = nullptr;
  std::string calibration;  // a file, or kSample
};

std::string error_text(double share) {
  return terminal::percent(share, 2);
}

std::string megabytes(uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

void print(const QuantizeReport& report) {
  terminal::Table table({{"weights in 8 bits", terminal::Align::left, ""},
                         {"", terminal::Align::right, ""},
                         {"mean error", terminal::Align::right, ""},
                         {"largest error", terminal::Align::right, ""}});
  for (const auto& layers : report.layers) {
    table.add({"  " + layers.kind, fmt::format("{}", layers.weights), error_text(layers.mean_error),
               error_text(layers.largest_error)});
  }
  table.add({"  all", fmt::format("{}", report.in_8_bits), "", ""});
  table.print(stdout);
  fmt::print("\n{} of {} parameters are in 8 bits; {} became {}, in {}\n", report.in_8_bits, report.parameters,
             megabytes(report.bytes_before), megabytes(report.bytes_after), report.out.string());
  if (report.calibration.texts > 0) {
    fmt::print(
        "rounded by what the layers read on {} texts of {} tokens: weights move further, so that vectors move less\n",
        report.calibration.texts, report.calibration.tokens);
  }
  fmt::print(
      "It runs in int8 where summand has products of bytes for the processor (`info`), else in fp32, and says which;\n"
      "--precision fp32 runs these weights in single precision.\n");
}

nlohmann::ordered_json to_json(const QuantizeReport& report) {
  nlohmann::ordered_json json{{"directory", report.directory.string()}, {"out", report.out.string()},
                              {"parameters", report.parameters},        {"in_8_bits", report.in_8_bits},
                              {"bytes_before", report.bytes_before},    {"bytes_after", report.bytes_after},
                              {"layers", nlohmann::json::array()},      {"notices", report.notices}};
  if (report.calibration.texts > 0) {
    json["calibration"] = {{"texts", report.calibration.texts}, {"tokens", report.calibration.tokens}};
  }
  for (const auto& layers : report.layers) {
    json["layers"].push_back({{"kind", layers.kind},
                              {"weights", layers.weights},
                              {"outputs", layers.outputs},
                              {"mean_error", layers.mean_error},
                              {"largest_error", layers.largest_error}});
  }
  return json;
}

std::vector<text::InputRecord> texts_of(const std::string& path) {
  InputOptions input;
  input.paths = {path};
  auto records = InputTexts(input).rest();
  if (records.empty()) throw api::UsageError("--calibrate", "expected a file with texts, got one without");
  return records;
}

/// What rounding is to look at: a file, the sample, or nothing.
struct Calibration {
  std::vector<text::InputRecord> records;
  std::vector<Text> sample;
  [[nodiscard]] TextList list() const {
    if (records.empty()) return sample;
    return records;
  }
};

Calibration calibration_of(const QuantizeRequest& options) {
  if (options.calibrate->count() == 0) return {};
  if (options.calibration == kSample) return {{}, calibration_sample()};
  if (options.calibration.empty()) {
    throw api::UsageError("--calibrate", "expected a file, or nothing at all for the sample, got an empty name");
  }
  return {texts_of(options.calibration), {}};
}

void run(const QuantizeRequest& options) {
  const auto calibration = calibration_of(options);
  const auto report = written_whole([&] {
    return quantize(
        options.model.name, options.out,
        {.threads = options.common.threads, .calibration = calibration.list(), .on_step = api::check_interruption});
  });
  if (!calibration.sample.empty()) {
    terminal::print_to_stderr(
        "calibrated on the built-in sample, English and some Chinese: texts like the model's own do better");
  }
  for (const auto& notice : report.notices) terminal::print_to_stderr("{}", notice);
  if (options.common.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
}

}  // namespace

void add_quantize(CLI::App& program) {
  auto* verb = program.add_subcommand("quantize", "Write a checkpoint with the encoder's weights in 8 bits");
  const auto options = std::make_shared<QuantizeRequest>();
  add_model(*verb, options->model);
  verb->add_option("-o,--output", options->out, "The directory to write: new or empty")->required();
  options->calibrate = verb->add_option("--calibrate", options->calibration,
                                        "A file of some hundred texts like those that the model will see; without "
                                        "FILE, a built-in sample of English and some Chinese")
                           ->expected(0, 1)
                           ->default_str(kSample)
                           ->option_text("[FILE]");
  add_common(*verb, options->common);
  verb->footer(
      "The result loads to the same numbers as the original quantised while loading, without that work.\n"
      "With --calibrate it comes nearer to the original in int8: what the layers read on the texts decides how\n"
      "weights and inputs are rounded. Tokenizer and sentence modules are copied. Other programs refuse OUT.\n"
      "The error of an output is the rounding error of its weights, relative to their length.\n"
      "Example:\n"
      "  summand quantize --model DIR -o DIR-int8\n"
      "  summand quantize --model DIR --calibrate texts.txt -o DIR-int8");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
