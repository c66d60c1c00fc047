#include "model/config.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/checkpoint_config.hpp"
#include "support/attention_settings.hpp"

using namespace summand;
using namespace summand::model;

namespace {

const std::string kSizes = R"("vocab_size": 100, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3,
  "intermediate_size": 24, "max_position_embeddings": 16, "type_vocab_size": 2, "hidden_act": "gelu")";

std::string with(const std::string& more) {
  return "{" + kSizes + (more.empty() ? "" : ", " + more) + "}";
}

std::string replaced(std::string from, const std::string& to) {
  std::string text = with("");
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("sizes are read, and what Hugging Face omits takes its default and is marked") {
  const ParsedConfig parsed = parse_config(with(R"("layer_norm_eps": 1e-5)"), "config.json");
  CHECK(parsed.config.hidden_size == 12);
  CHECK(parsed.config.head_size() == 4);
  CHECK(parsed.config.layer_norm_eps == 1e-5);
  CHECK(parsed.config.tie_word_embeddings);
  const auto marked = [&](const char* name) { return std::ranges::count(parsed.defaulted, name) == 1; };
  CHECK(marked("model_type"));
  CHECK(marked("tie_word_embeddings"));
  CHECK(marked("position_embedding_type"));
  CHECK_FALSE(marked("layer_norm_eps"));
  CHECK_FALSE(marked("hidden_size"));
}

TEST_CASE("a configuration that is written reads back the same, summand's own keys included") {
  Config config = parse_config(with(R"("layer_norm_eps": 1e-7, "architectures": ["BertModel"])"), "c").config;
  CHECK(to_json(config).find("summand") == std::string::npos);
  CHECK(parse_config(to_json(config), "c").config == config);
  config.composition = VectorGate();
  config.position = SinusoidalPositions{.base = 1000, .layout = SinusoidLayout::halves};
  CHECK(parse_config(to_json(config), "c").config == config);
  CHECK(parse_config(to_json(config), "c").defaulted.empty());
}

TEST_CASE("weights in 8 bits are said under a key that other configurations do not have") {
  const auto plain = parse_config(with(""), "c");
  CHECK(plain.config.weight_format == WeightFormat::floating);
  CHECK(std::ranges::count(plain.defaulted, "quantization_config") == 0);
  CHECK(to_json(plain.config).find("quantization_config") == std::string::npos);
  CHECK(std::ranges::count(rows_of(plain), "quantization_config", &ConfigRow::name) == 0);
  CHECK(parse_config(with(R"("quantization_config": null)"), "c").config == plain.config);
  const auto int8 = parse_config(with(R"("quantization_config": {"format": "summand_int8"})"), "c");
  CHECK(int8.config.weight_format == WeightFormat::summand_int8);
  CHECK(parse_config(to_json(int8.config), "c").config == int8.config);
  const auto calibrated = parse_config(with(R"("quantization_config": {"format": "summand_int8_calibrated"})"), "c");
  CHECK(calibrated.config.weight_format == WeightFormat::summand_int8_calibrated);
  CHECK(parse_config(to_json(calibrated.config), "c").config == calibrated.config);
  const auto rows = rows_of(int8);
  CHECK(std::ranges::find(rows, "quantization_config", &ConfigRow::name)->value == R"({"format":"summand_int8"})");
}

TEST_CASE("another weight format leaves every other key of a file as it was, and their order") {
  const std::string text = with(R"("b": [1, {"x": null}], "a": 1e-12, "quantization_config": null, "_c": "ü")");
  const std::string int8 = with_weight_format(text, WeightFormat::summand_int8);
  CHECK(
      int8.ends_with(",\n  \"hidden_act\": \"gelu\",\n"
                     "  \"b\": [\n    1,\n    {\n      \"x\": null\n    }\n  ],\n  \"a\": 1e-12,\n  \"_c\": \"ü\",\n"
                     "  \"quantization_config\": {\n    \"format\": \"summand_int8\"\n  }\n}\n"));
  CHECK(int8.starts_with("{\n  \"vocab_size\": 100,\n  \"hidden_size\": 12,"));
  CHECK(with_weight_format(int8, WeightFormat::floating).find("quantization_config") == std::string::npos);
}

TEST_CASE("a checkpoint that others would compute as another model is written so that they refuse it") {
  const Config bert = parse_config(with(R"("architectures": ["BertForMaskedLM"])"), "c").config;
  const auto alone = [&](const auto& change) {
    Config config = bert;
    change(config);
    const std::string json = checkpoint_json(config);
    const bool marked = json.find(R"("model_type": "summand-bert")") != std::string::npos;
    CHECK(marked == (json.find(R"("SummandBertForMaskedLM")") != std::string::npos));
    CHECK(marked == (json.find("quantization_config") != std::string::npos));
    CHECK(marked == runs_here_alone(config));
    Config read = parse_config(json, "c").config;
    CHECK(read.model_type == (marked ? "summand-bert" : "bert"));
    CHECK(to_json(read) == to_json(config));  // what hashes and run.json hold does not change with the mark
    read.model_type = "bert";
    CHECK(read == config);
    CHECK(as_checkpoint(json) == json);
    return marked;
  };
  CHECK_FALSE(alone([](Config&) {}));
  CHECK_FALSE(alone([](Config& config) { config.position = FixedPositions(); }));
  CHECK_FALSE(alone([](Config& config) { config.hidden_act = Activation::relu; }));
  CHECK_FALSE(alone([](Config& config) { config.attention.scale = 1 / std::sqrt(4.0); }));
  CHECK_FALSE(alone([](Config& config) {
    config.num_hidden_layers = 1;  // the only layer gets nothing again
    config.per_layer_inputs.position = true;
  }));
  CHECK(alone([](Config& config) { config.per_layer_inputs.position = true; }));
  CHECK(alone([](Config& config) { config.position_attention = Rotary(); }));
  CHECK(alone([](Config& config) { config.position = SinusoidalPositions(); }));
  CHECK(alone([](Config& config) { config.segment = SegmentKind::none; }));
  CHECK(alone([](Config& config) { config.attention.scale = 0.25; }));
  CHECK(alone([](Config& config) { config.attention.causal = true; }));
  CHECK(alone([](Config& config) { config.hidden_act = Activation::half; }));
  CHECK(alone([](Config& config) { config.composition = Multiplicative(); }));
  CHECK(alone([](Config& config) {
    config.position_attention = RelativeKey();
    config.position = NoPositions();
  }));
}

TEST_CASE("a copy in another weight format, or with other settings, is marked by what it is") {
  Config config = parse_config(with(""), "c").config;
  config.position = SinusoidalPositions();
  const std::string marked = checkpoint_json(config);
  const std::string int8 = with_weight_format(marked, WeightFormat::summand_int8);
  CHECK(parse_config(int8, "c").config.weight_format == WeightFormat::summand_int8);
  CHECK(int8.find("summand-bert") != std::string::npos);
  CHECK(with_weight_format(int8, WeightFormat::floating) == marked);
  // As an older summand wrote it.
  CHECK(with_weight_format(to_json(config), WeightFormat::floating).find("summand-bert") != std::string::npos);
  config.position = LearnedPositions();
  CHECK(with_own_settings(marked, config).find("summand") == std::string::npos);
  CHECK(with_own_settings(marked, config).find("quantization_config") == std::string::npos);
}

TEST_CASE("every activation is known under all its names") {
  for (const auto& entry : enum_names(Activation{})) {
    const auto text = replaced("\"gelu\"", "\"" + std::string(entry.name) + "\"");
    CHECK(parse_config(text, "c").config.hidden_act == entry.value);
  }
}

TEST_CASE("every size is required") {
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
                          "max_position_embeddings", "type_vocab_size", "hidden_act"}) {
    const auto text = replaced("\"" + std::string(key) + "\"", "\"another\"");
    CHECK_THROWS_WITH_AS(parse_config(text, "config.json"),
                         ("[config.json] " + std::string(key) + ": expected a value, got none").c_str(), ConfigError);
  }
}

TEST_CASE("a value that cannot be honoured is an error that names it") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {with(R"("model_type": "roberta")"), "[c] model_type 'roberta' is not supported, expected 'bert'"},
      {with(R"("is_decoder": true)"), "[c] is_decoder: a causal decoder is not supported, expected false, got true"},
      {with(R"("add_cross_attention": true)"),
       "[c] add_cross_attention: cross attention is not supported, expected false, got true"},
      {with(R"("pruned_heads": {"1": [0]})"),
       "[c] pruned_heads: pruned heads are not supported, expected none, got an object"},
      {with(R"("position_embedding_type": "relative")"),
       "[c] position_embedding_type: expected one of absolute, relative_key, relative_key_query, got \"relative\""},
      {with(R"("position_embedding_type": "relative_key", "summand": {"position_attention": "rotary"})"),
       "[c] position_embedding_type: expected \"absolute\" with summand.position_attention 'rotary' and "
       "summand.position_kind 'none', got \"relative_key\""},
      {with(R"("summand": {"composition": "mix"})"),
       fmt::format("[c] summand.composition: expected one of {}, got \"mix\"",
                   fmt::join(kind_names<Composition>(), ", "))},
      {with(R"("summand": {"composition": "concatenate", "composition_token_width": 6})"),
       "[c] summand.composition_position_width: expected 1 or more, got 0"},
      {with(
           R"("summand": {"composition": "concatenate", "composition_token_width": 6, "composition_position_width": 1, "composition_segment_width": 1})"),
       "[c] summand.composition_token_width: expected three widths that make hidden_size (12), got 6 + 1 + 1"},
      {with(R"("summand": {"composition": "concatenate_project", "composition_position_width": -2})"),
       "[c] summand.composition_position_width: expected 0 or more, got -2"},
      {with(R"("summand": {"composition": "within_tokens", "composition_rank": 13})"),
       "[c] summand.composition_rank: expected 1 to hidden_size (12), got 13"},
      {with(R"("summand": {"normalise_input": 1})"), "[c] summand.normalise_input: expected true or false, got 1"},
      {with(R"("summand": {"segment_kind": "some"})"),
       "[c] summand.segment_kind: expected one of learned, none, got \"some\""},
      {with(R"("summand": {"position_kind": "rotary"})"),
       "[c] summand.position_kind: expected one of learned, sinusoidal, none, fixed, sinusoidal_powers, "
       "sinusoidal_trained, scalar, smooth, extended, hierarchical, got \"rotary\""},
      {with(R"("summand": {"position_kind": "smooth", "position_cosines": 17})"),
       "[c] summand.position_cosines: expected 1 to max_position_embeddings (16), got 17"},
      {with(R"("summand": {"position_kind": "extended", "position_rows": 3})"),
       "[c] summand.position_rows: expected 4 to max_position_embeddings (16), for their square has to reach it, got "
       "3"},
      {with(R"("summand": {"position_kind": "extended", "position_rows": 4, "position_alpha": 0.5})"),
       "[c] summand.position_alpha: expected a number above 0 and below 1, not 0.5, got 0.5"},
      {with(
           R"("summand": {"position_kind": "sinusoidal", "composition": "concatenate_project", "composition_position_width": 3})"),
       "[c] summand.position_kind: expected a table of an even width for sines and cosines, got 3"},
      {replaced("\"hidden_size\": 12", "\"hidden_size\": 13"),
       "[c] hidden_size: expected a multiple of num_attention_heads (3), got 13"},
      {replaced("\"hidden_size\": 12", "\"hidden_size\": -12"), "[c] hidden_size: expected 1 to 268435456, got -12"},
      {replaced("\"hidden_size\": 12", "\"hidden_size\": 12.5"), "[c] hidden_size: expected an integer, got 12.5"},
      {replaced("\"type_vocab_size\": 2", "\"type_vocab_size\": 0"),
       "[c] type_vocab_size: expected 1 to 268435456, got 0"},
      {replaced("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1000000000"),
       "[c] num_hidden_layers: expected 0 to 4096, got 1000000000"},
      {with(R"("layer_norm_eps": -1)"), "[c] layer_norm_eps: expected at least 0, got -1"},
      {replaced("\"max_position_embeddings\": 16",
                "\"summand\": {\"position_kind\": \"sinusoidal\"}, \"max_position_embeddings\": 524289"),
       "[c] max_position_embeddings: expected a computed table of at most 6291456 numbers, got 524289 rows of 12"},
      {"[1]", "[c] expected a JSON object, got an array"},
      {"3", "[c] expected a JSON object, got 3"},
      {with(R"("summand": [1])"), "[c] summand: expected an object, got an array"},
      {with(R"("quantization_config": {"quant_method": "gptq", "bits": 4})"),
       "[c] quantization_config.quant_method: this setting is not supported, expected none, got \"gptq\""},
      {with(R"("quantization_config": {"bits": 8})"),
       "[c] quantization_config.format: expected \"summand_int8\" or \"summand_int8_calibrated\", which summand "
       "quantize writes, got none"},
      {with(R"("quantization_config": {"format": "summand_int4"})"),
       "[c] quantization_config.format: expected \"summand_int8\" or \"summand_int8_calibrated\", which summand "
       "quantize writes, got \"summand_int4\""},
      {with(R"("quantization_config": "int8")"), "[c] quantization_config: expected an object, got \"int8\""},
      {with(R"("embedding_size": 6)"),
       "[c] embedding_size: expected hidden_size (factorised embeddings are not supported), got 6"},
      {"{\n\"vocab_size\"",
       "[c:2] expected JSON, got syntax error while parsing object separator - unexpected end of input; expected ':'"},
      {"", "[c:1] expected JSON, got an empty text"},
  };
  for (const auto& [text, message] : cases) {
    CHECK_THROWS_WITH_AS(parse_config(text, "c"), message.c_str(), ConfigError);
  }
}

TEST_CASE("a value nested without end is refused without walking through it") {
  const std::string deep(1'000'000, '[');
  const std::string closed = deep + std::string(deep.size(), ']');
  for (const std::string& text : {deep, closed, with("\n\"pruned_heads\": " + closed)}) {
    const auto message = fmt::format("[c:{}] expected JSON of at most 100 levels, got more", text[0] == '[' ? 1 : 3);
    CHECK_THROWS_WITH_AS(parse_config(text, "c"), message.c_str(), ConfigError);
  }
}

TEST_CASE("harmless forms of the same keys pass") {
  CHECK_NOTHROW(parse_config(with(R"("is_decoder": false, "pruned_heads": {}, "add_cross_attention": false)"), "c"));
  CHECK_NOTHROW(parse_config(with(R"("model_type": "bert", "position_embedding_type": "absolute")"), "c"));
  CHECK_NOTHROW(parse_config(with(R"("pad_token_id": null, "id2label": {"0": "x"}, "unknown": [1, {"a": 2}])"), "c"));
}

TEST_CASE("the table for people has every field and marks the defaults") {
  const auto rows = rows_of(parse_config(with(""), "c"));
  const auto row = [&](const std::string& name) { return *std::ranges::find(rows, name, &ConfigRow::name); };
  CHECK(row("hidden_size").value == "12");
  CHECK_FALSE(row("hidden_size").defaulted);
  CHECK(row("layer_norm_eps").value == "1e-12");
  CHECK(row("layer_norm_eps").defaulted);
  CHECK(row("summand.composition").value == "sum");
  CHECK(row("summand.composition").defaulted);
  CHECK(row("summand.position_kind").value == "learned");
}

TEST_CASE("a key below summand that changes nothing is an error with what is known") {
  const std::string sines = "'sinusoidal', 'sinusoidal_powers', 'sinusoidal_trained'";
  const std::string others =
      "'segment_kind', 'position_attention', 'segment_attention', 'attention_query_key', 'attention_value', "
      "'attention_scale', 'attention_causal', 'token_again', 'position_again', 'segment_again', 'reading', "
      "'window_encoder'";
  const std::string learned = "'composition', 'normalise_input', 'position_kind', " + others;
  const std::string sinusoidal =
      "'composition', 'normalise_input', 'position_kind', 'position_base', 'position_first_index', 'position_layout', "
      "'position_scale', " +
      others;
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("compositon": "multiplicative")",
       "summand.compositon: expected one of " + learned + ", got another key; did you mean 'composition'?"},
      {R"("kind": "none")", "summand.kind: expected one of " + learned + ", got another key"},
      {R"("position_learnable": false)",
       "summand.position_learnable: expected one of " + learned + ", got another key"},
      {R"("position_kind": "sinusoidal", "position_learnable": false)",
       "summand.position_learnable: expected one of " + sinusoidal + ", got another key"},
      {R"("position_kind": "sinusoidal", "position_bass": 10)",
       "summand.position_bass: expected one of " + sinusoidal + ", got another key; did you mean 'position_base'?"},
      {R"("position_scale": 5)",
       "summand.position_scale: expected with position_kind " + sines + ", got it with 'learned'"},
      {R"("position_first_index": 0, "position_kind": "none")",
       "summand.position_first_index: expected with position_kind " + sines + ", got it with 'none'"},
      {R"("composition": "concatenate", "composition_rank": 2)",
       "summand.composition_rank: expected with composition 'outside_tokens', 'within_tokens', got it with "
       "'concatenate'"},
      {R"("position_attention": "alibi", "position_attention_base": 10)",
       "summand.position_attention_base: expected with position_attention 'transformer_xl', 'rotary', got it with "
       "'alibi'"},
      {R"("segment_attention_layout": "halves")",
       "summand.segment_attention_layout: expected with segment_attention 'rotary', got it with 'none'"},
      {R"("position_kind": "sinusoidal", "position_base": 0)",
       "summand.position_base: expected a number above 0, got 0"},
      {R"("position_attention": "t5_bias", "position_attention_buckets": 7)",
       "summand.position_attention_buckets: expected an even number, 4 or more, got 7"},
      {R"("position_attention": "rows", "attention_query_key": "none")",
       "summand.position_attention_projections: expected 'own' where summand.attention_query_key is 'none', got "
       "'tied'"},
      {R"("segment_attention": "rows", "attention_value": false)",
       "summand.segment_attention_projections: expected 'own' where summand.attention_value is false, got 'tied'"},
      {R"("position_kind": "none", "position_again": true)",
       "summand.position_again: expected false with position_kind 'none', got true"},
      {R"("segment_kind": "none", "segment_again": true)",
       "summand.segment_again: expected false with segment_kind 'none', got true"},
      {R"("composition": "joint_table", "position_kind": "none")",
       "summand.segment_kind: expected 'none' with composition 'joint_table', which holds it, got 'learned'"},
      {R"("position_kind": "hierarchical", "position_ends": [3, "a"])",
       "summand.position_ends: expected an integer, got \"a\""},
      {R"("position_kind": "hierarchical", "position_sentences": 0)",
       "summand.position_sentences: expected 1 to max_position_embeddings (16), got 0"},
  };
  for (const auto& [keys, message] : cases) {
    const std::string text = with("\"summand\": {" + keys + "}");
    CHECK_THROWS_WITH_AS(parse_config(text, "c"), ("[c] " + message).c_str(), ConfigError);
  }
  CHECK_THROWS_WITH_AS(parse_config(with(R"("sumand": {"composition": "multiplicative"})"), "c"),
                       "[c] sumand: expected a key of Hugging Face's or 'summand', got one that looks like a "
                       "misspelling of it",
                       ConfigError);
  CHECK_NOTHROW(parse_config(with(R"("command": {"composition": "mix"}, "": 1)"), "c"));
}

TEST_CASE("how training read its texts stands below summand, and changes nothing else") {
  const Config bert = parse_config(with(R"("architectures": ["BertForSequenceClassification"])"), "c").config;
  const std::vector<std::pair<Reading, std::string>> readings{
      {{.length = {.truncation = Truncation::head_tail, .max_length = 9}},
       R"({"max_length":9,"truncation":"head_tail"})"},
      {{.length = {.max_length = 16}, .windows = WindowOptions{.overlap = 5}},
       R"({"max_length":16,"windows":"mean","overlap":5})"},
      {{.length = {.max_length = 4}, .windows = WindowOptions{.pooling = WindowPooling::maximum}},
       R"({"max_length":4,"windows":"max","overlap":0})"}};
  for (const auto& [reading, json] : readings) {
    Config config = bert;
    config.reading = reading;
    const ParsedConfig parsed = parse_config(checkpoint_json(config), "c");
    CHECK(parsed.config == config);
    CHECK(is_bert(config));
    CHECK_FALSE(runs_here_alone(config));
    const auto rows = rows_of(parsed);
    CHECK(std::ranges::find(rows, "summand.reading", &ConfigRow::name)->value == json);
    CHECK(std::ranges::find(rows, "summand.composition", &ConfigRow::name)->defaulted);  // nothing else is written
    config.composition = VectorGate();
    CHECK(parse_config(checkpoint_json(config), "c").config.reading == reading);
    CHECK(runs_here_alone(config));
  }
  CHECK(std::ranges::count(rows_of(parse_config(with(""), "c")), "summand.reading", &ConfigRow::name) == 0);
  CHECK(parse_config(with(R"("summand": {"reading": {"max_length": 7}})"), "c").config.reading->length.truncation ==
        Truncation::longest_first);
}

TEST_CASE("a reading that is misspelt or impossible is one line") {
  const std::string known = "'max_length', 'truncation', 'windows', 'overlap'";
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"([])", ": expected an object, got []"},
      {R"({})", ".max_length: expected a number of tokens, got none"},
      {R"({"max_length": 0})", ".max_length: expected an integer of at least 1, got 0"},
      {R"({"max_length": "9"})", ".max_length: expected an integer of at least 1, got \"9\""},
      {R"({"max_length": 17})", ".max_length: expected at most 16, the positions that the model has, got 17"},
      {R"({"max_lenght": 9})",
       ".max_lenght: expected one of " + known + ", got another key; did you mean 'max_length'?"},
      {R"({"max_length": 9, "truncation": "middle"})",
       ".truncation: expected one of longest_first, only_first, only_second, none, head, tail, head_tail, got "
       "\"middle\""},
      {R"({"max_length": 9, "windows": "median"})", ".windows: expected one of mean, max, transformer, got \"median\""},
      {R"({"max_length": 9, "windows": "mean", "truncation": "head"})",
       ".truncation: expected none with windows, got \"head\""},
      {R"({"max_length": 9, "overlap": 3})", ".overlap: expected none without windows, got 3"},
      {R"({"max_length": 9, "windows": "mean", "overlap": 9})", ".overlap: expected less than max_length (9), got 9"},
      {R"({"max_length": 9, "windows": "mean", "overlap": -1})", ".overlap: expected an integer of at least 0, got -1"},
  };
  for (const auto& [reading, message] : cases) {
    const std::string text = with(R"("summand": {"reading": )" + reading + "}");
    CHECK_THROWS_WITH_AS(parse_config(text, "c"), ("[c] summand.reading" + message).c_str(), ConfigError);
  }
}

TEST_CASE("a transformer over windows is a setting that others do not know, with a reading by it alone") {
  Config config = parse_config(with(R"("architectures": ["BertForSequenceClassification"])"), "c").config;
  config.reading = {.length = {.max_length = 9}, .windows = WindowOptions{.pooling = WindowPooling::transformer}};
  config.window_encoder = {.layers = 2, .most_windows = 5};
  CHECK(runs_here_alone(config));
  Config read = parse_config(checkpoint_json(config), "c").config;
  read.model_type = "bert";
  CHECK(read == config);
  const std::string by_it = R"("reading": {"max_length": 9, "windows": "transformer"})";
  const std::vector<std::pair<std::string, std::string>> cases{
      {by_it, "expected with summand.reading.windows 'transformer' alone, got none"},
      {R"("window_encoder": {"layers": 1, "most_windows": 4})",
       "expected with summand.reading.windows 'transformer' alone, got it with another"},
      {by_it + R"(, "window_encoder": {"layers": 65, "most_windows": 4})", "layers: expected 1 to 64, got 65"},
      {by_it + R"(, "window_encoder": {"layers": 1, "most_windows": 5000})",
       "most_windows: expected 1 to 4096, got 5000"},
      {by_it + R"(, "window_encoder": {"layers": 1})", "most_windows: expected an integer of at least 1, got none"},
      {by_it + R"(, "window_encoder": {"layers": 0, "most_windows": 4})",
       "layers: expected an integer of at least 1, got 0"},
      {by_it + R"(, "window_encoder": {"layer": 1, "most_windows": 4})",
       "layer: expected one of 'layers', 'most_windows', got another key; did you mean 'layers'?"},
      {by_it + R"(, "window_encoder": 3)", "window_encoder: expected an object, got 3"},
  };
  for (const auto& [keys, message] : cases) {
    const std::string text = with("\"summand\": {" + keys + "}");
    CHECK_THROWS_WITH_AS(parse_config(text, "c"), doctest::Contains(message.c_str()), ConfigError);
  }
}

TEST_CASE("what a caller asks for goes before what training did") {
  const Reading windows{.length = {.max_length = 9}, .windows = WindowOptions{.overlap = 3}};
  const Reading tail{.length = {.truncation = Truncation::tail, .max_length = 9}};
  const Reading longer{.length = {.max_length = 12}};
  const Reading head{.length = {.truncation = Truncation::head}};
  const Reading divided{.windows = WindowOptions{.pooling = WindowPooling::maximum}};
  CHECK(as_trained({}, std::nullopt) == Reading());
  CHECK(as_trained({}, windows) == windows);
  CHECK(as_trained(longer, windows) == Reading{.length = {.max_length = 12}, .windows = windows.windows});
  CHECK(as_trained(head, windows) == Reading{.length = {.truncation = Truncation::head, .max_length = 9}});
  CHECK(as_trained(divided, windows) == Reading{.length = {.max_length = 9}, .windows = divided.windows});
  CHECK(as_trained(divided, tail) == Reading{.length = {.max_length = 9}, .windows = divided.windows});
  CHECK(as_trained(head, tail) == Reading{.length = {.truncation = Truncation::head, .max_length = 9}});
  for (const Reading& asked : {Reading(), longer, head, divided}) {
    for (const Reading& trained : {windows, tail}) {
      CHECK(as_trained(as_trained(asked, trained), trained) == as_trained(asked, trained));
    }
  }
  CHECK(as_options(windows) == "--max-length 9 --windows mean --overlap 3");
  CHECK(as_options(tail) == "--max-length 9 --truncation tail");
  CHECK(as_options(taken_from_training(longer, windows)) == "--windows mean --overlap 3");
  CHECK(as_options(taken_from_training(head, windows)) == "--max-length 9");
  CHECK(as_options(taken_from_training({}, std::nullopt)).empty());
}

TEST_CASE("a key that stands twice is an error, wherever it stands") {
  for (const auto& [keys, twice] : std::vector<std::pair<std::string, std::string>>{
           {R"("layer_norm_eps": 1e-5, "layer_norm_eps": 1e-12)", "layer_norm_eps"},
           {R"("summand": {"composition": "sum", "composition": "multiplicative"})", "composition"},
           {R"("a": [1, {"b": 1, "c": {"b": 2}, "b": 3}])", "b"}}) {
    CHECK_THROWS_WITH_AS(parse_config(with(keys), "c"),
                         ("[c] " + twice + ": expected each key once, got it twice").c_str(), ConfigError);
  }
  CHECK_NOTHROW(parse_config(with(R"("a": {"b": 1}, "c": [{"b": 1}, {"b": 2, "a": 3}])"), "c"));
}

TEST_CASE("of every kind of positions, files and tables hold what it honours, and it reads back") {
  const Config bert = parse_config(with(""), "c").config;
  std::vector<Position> positions = typical_positions(bert.position_table_size());
  positions.emplace_back(
      SinusoidalPositions{.base = 10, .first_index = 7, .layout = SinusoidLayout::halves, .scale = 5});
  for (const auto& position : positions) {
    CAPTURE(name_of(position));
    Config config = bert;
    config.composition = Multiplicative();
    config.position = position;
    const auto parsed = parse_config(to_json(config), "c");
    CHECK(parsed.config == config);
    CHECK(parsed.defaulted.empty());
    size_t fields = 1;
    visit_kind_fields(position, [&](std::string_view, const auto&) { ++fields; });
    const auto rows = rows_of(parsed);
    CHECK(static_cast<size_t>(std::ranges::count_if(rows, [](const auto& row) {
            return row.name.starts_with("summand.position_") && row.name != "summand.position_attention" &&
                   row.name != "summand.position_again";
          })) == fields);
  }
}

TEST_CASE("every composition, and each switch of the input, reads back with its own fields") {
  const Config bert = parse_config(with(""), "c").config;
  for (const auto& composition : typical_compositions(12)) {
    CAPTURE(name_of(composition));
    Config config = bert;
    config.composition = composition;
    config.normalise_input = false;
    config.segment = SegmentKind::none;
    if (std::holds_alternative<JointTable>(composition)) config.position = NoPositions();
    const auto parsed = parse_config(to_json(config), "c");
    CHECK(parsed.config == config);
    CHECK(parsed.defaulted.empty());
  }
}

TEST_CASE("of every kind inside attention, files hold what it honours, and it reads back") {
  const Config bert = parse_config(with(""), "c").config;
  for (const auto& kind : test::attention_settings(bert.positions_in_attention().sizes)) {
    CAPTURE(test::description(kind));
    Config config = bert;
    config.position_attention = kind;
    if (kind_error(kind, bert.segments_in_attention().sizes).empty()) config.segment_attention = kind;
    config.attention = {.scale = 0.25, .causal = true};
    config.per_layer_inputs = {.token = true, .position = true, .segment = true};
    const auto parsed = parse_config(to_json(config), "c");
    CHECK(parsed.config == config);
    CHECK(parsed.defaulted.empty());
  }
}

TEST_CASE("Hugging Face's relative keys are read from its key, and written to it") {
  for (const char* type : {"relative_key", "relative_key_query"}) {
    const auto config = parse_config(with("\"position_embedding_type\": \"" + std::string(type) + "\""), "c").config;
    CHECK(name_of(config.position_attention) == type);
    CHECK(name_of(config.position) == "none");
    const std::string json = to_json(config);
    CHECK(json.find("\"position_embedding_type\": \"" + std::string(type) + "\"") != std::string::npos);
    CHECK(parse_config(json, "c").config == config);
  }
}

TEST_CASE("labels are read in their order, numbered where the file has only their number, and two without it") {
  CHECK(parse_config(with(R"("id2label": {"1": "no", "0": "yes", "2": "perhaps"})"), "c").config.labels.names ==
        std::vector<std::string>{"yes", "no", "perhaps"});
  CHECK(parse_config(with(R"("id2label": null, "num_labels": 3)"), "c").config.labels == numbered_labels(3));
  CHECK(parse_config(with(""), "c").config.labels.names == std::vector<std::string>{"LABEL_0", "LABEL_1"});
  const Config config = parse_config(with(R"("id2label": {"0": "only"}, "num_labels": 3)"), "c").config;
  CHECK(config.labels.names == std::vector<std::string>{"only"});
  CHECK(parse_config(to_json(config), "c").config == config);
  for (const auto& [wrong, message] : std::vector<std::pair<std::string, std::string>>{
           {R"("id2label": ["a"])", "id2label: expected an object of labels by number, got an array"},
           {R"("id2label": {"0": "a", "2": "b"})",
            "id2label: label 1 of 2: expected a label for every number from 0 to 1, got none"},
           {R"("id2label": {"0": true})", "id2label: label 0 of 1: expected a string or a number, got true"},
           {R"("num_labels": 0)", "num_labels: expected an integer of at least 1, got 0"},
           {R"("num_labels": 262145)", "num_labels: expected at most 262144, got 262145"},
           {R"("num_labels": 5000000000)", "num_labels: expected at most 262144, got 5000000000"}}) {
    const auto parsed = parse_config(with(wrong), "c");
    REQUIRE(parsed.faults.size() == 1);
    CHECK(parsed.faults[0].message == message);
    CHECK(parsed.config == parse_config(with(""), "c").config);
    CHECK_THROWS_WITH_AS(require_all_read(parsed), ("[c] " + message).c_str(), ConfigError);
  }
  CHECK(parse_config(with(R"("id2label": {"0": 0, "1": 1.5})"), "c").config.labels.names ==
        std::vector<std::string>{"0", "1.5"});
}

TEST_CASE("a key of a head or of training that cannot be read is kept as a fault, with its default") {
  const Config plain = parse_config(with(""), "c").config;
  for (const auto& [key, wrong] :
       std::vector<std::pair<std::string, std::string>>{{"architectures", "[1]"},
                                                        {"initializer_range", "\"x\""},
                                                        {"hidden_dropout_prob", "[]"},
                                                        {"attention_probs_dropout_prob", "true"},
                                                        {"classifier_dropout", "\"some\""},
                                                        {"tie_word_embeddings", "1"},
                                                        {"pad_token_id", "0.5"},
                                                        {"problem_type", "\"ranking\""}}) {
    const auto parsed = parse_config(with(fmt::format("\"{}\": {}", key, wrong)), "c");
    REQUIRE(parsed.faults.size() == 1);
    CHECK(parsed.fault_for(key) == parsed.faults.data());
    CHECK(parsed.faults[0].message.starts_with(key + ": expected "));
    CHECK(parsed.config == plain);
    CHECK(std::ranges::count(parsed.defaulted, key) == 1);
  }
  CHECK_NOTHROW(require_all_read(parse_config(with(""), "c")));
}

TEST_CASE("a classifier's dropout is a number, or null and absent alike: then it is hidden_dropout_prob") {
  for (const std::string none : {"", R"("classifier_dropout": null)"}) {
    const Config config = parse_config(with(none), "c").config;
    CHECK(!config.classifier_dropout);
    CHECK(to_json(config).find("classifier_dropout") == std::string::npos);
  }
  const Config config = parse_config(with(R"("classifier_dropout": 0.25)"), "c").config;
  CHECK(config.classifier_dropout == 0.25);
  CHECK(parse_config(to_json(config), "c").config == config);
}

TEST_CASE("the problem type is one of three, or not said") {
  CHECK(parse_config(with(""), "c").config.problem_type == ProblemType::unspecified);
  CHECK(parse_config(with(R"("problem_type": null)"), "c").config.problem_type == ProblemType::unspecified);
  for (const auto& entry : enum_names(ProblemType{})) {
    const auto text = with(fmt::format(R"("problem_type": "{}")", entry.name));
    const Config config = parse_config(text, "c").config;
    CHECK(config.problem_type == entry.value);
    CHECK(parse_config(to_json(config), "c").config == config);
  }
  CHECK(to_json(parse_config(with(""), "c").config).find("\"problem_type\": null") != std::string::npos);
}
