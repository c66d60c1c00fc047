#include "serve/routes/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "api/heads/fill_mask.hpp"
#include "api/heads/tag.hpp"
#include "api/inspection/hidden_states.hpp"
#include "base/error.hpp"
#include "serve/routes/characters.hpp"
#include "serve/routes/computing.hpp"
#include "serve/routes/numbers.hpp"
#include "serve/routes/sequences.hpp"
#include "serve/routes/vector_recipe.hpp"

namespace summand::serve::routes {

namespace {

constexpr size_t kTokenBytes = 80;  ///< of a token that /tokenize shows, about

/// Tokens of texts that are computed in one call.
constexpr size_t kPieceTokens = 512;

/// Texts of a request and how they are divided into calls.
struct TextPieces {
  std::vector<std::string> texts = {};
  std::vector<Range> pieces = {};   ///< of texts
  std::vector<size_t> tokens = {};  ///< of each piece
  bool single = false;
  summand::Reading reading = {};
};

/// The prompt that the request names, or the model's default one.
std::string prompt_of(Body& body, const ServedModel& model) {
  const auto name = body.string("prompt_name");
  return model.width() > 0 || name ? make_embedder(model, {.prompt_name = name})->prompt() : std::string();
}

struct TextReading {
  std::optional<size_t> limit = {};  ///< in tokens; none: the model's positions
  std::string prompt = {};
  std::optional<model::Head> head = {};  ///< a classifier's: texts are read as in its training
  /// Of each text's sequence.
  std::function<void(size_t text, const api::Sequence& sequence)> check = {};
};

/// Reads the texts of `inputs` and counts their tokens.
TextPieces read_texts(Call& call, ServedModel& model, const TextReading& how = {}) {
  auto input = read_input(call.body(), "inputs");
  for (size_t item = 0; item < input.items.size(); ++item) {
    if (!input.items[item].ids) continue;
    throw Refused{Fault::validation, fmt::format("`inputs[{}]`: expected a text, got token ids", item), "inputs"};
  }
  Reading reading{.field = "inputs", .prompt = how.prompt, .limit = how.limit.value_or(model.model().position_limit())};
  if (how.head) {
    reading = head_reading(call, model.model(), *how.head, "inputs");
  } else {
    read_truncation(call.body(), call.service().options.auto_truncate, reading);
  }
  const auto made = make_sequences(call, model.model(), input.items, reading);
  TextPieces texts{.single = input.single,
                   .reading = {.length = {.truncation = reading.direction, .max_length = reading.limit},
                               .windows = reading.windows}};
  std::vector<size_t> tokens_of(input.items.size());
  for (size_t i = 0; i < made.sequences.size(); ++i) {
    if (how.check) how.check(made.items[i], made.sequences[i]);
    tokens_of[made.items[i]] += made.sequences[i].ids.size();
  }
  for (size_t i = 0; i < input.items.size(); ++i) {
    const size_t tokens = tokens_of[i];
    if (texts.pieces.empty() || texts.tokens.back() + tokens > kPieceTokens) {
      texts.pieces.push_back({i, i});
      texts.tokens.push_back(0);
    }
    texts.pieces.back().end = i + 1;
    texts.tokens.back() += tokens;
    texts.texts.push_back(how.prompt + input.items[i].text);
  }
  return texts;
}

/// Computes a result for each text, and writes them: one of them alone, or a list.
/// @param of_texts  gives the JSON of each text of a piece
void each_text(const std::shared_ptr<Call>& call, ServedModel& model, TextPieces texts,
               std::function<std::vector<std::string>(const TextList&, const summand::Reading&)> of_texts) {
  struct Work {
    TextPieces texts;
    std::vector<std::string> results = {};
  };
  const auto work = std::make_shared<Work>(Work{.texts = std::move(texts)});
  work->results.resize(work->texts.texts.size());
  compute_pieces(
      call, model, work->texts.tokens,
      [work, of_texts = std::move(of_texts)](size_t piece) {
        const auto range = work->texts.pieces[piece];
        const auto part = std::span(work->texts.texts).subspan(range.begin, range.size());
        std::ranges::move(of_texts(TextList(part), work->texts.reading),
                          work->results.begin() + static_cast<std::ptrdiff_t>(range.begin));
      },
      [call, work] {
        if (work->texts.single) return call->answer(std::move(work->results.front()));
        call->answer(fmt::format("[{}]", fmt::join(work->results, ",")));
      });
}

void append_matrix(std::string& json, MatrixView<const float> rows) {
  json += '[';
  for (size_t row = 0; row < rows.rows(); ++row) {
    if (row > 0) json += ',';
    require_finite(rows.row(row));
    append_vector(json, rows.row(row), Numbers::floats);
  }
  json += ']';
}

template <class Item>
std::string list_of(const std::vector<Item>& items, const auto& append) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    append(json, item);
  }
  json += ']';
  return json;
}

/// Source of the names: transformers, pipelines/fill_mask.py
void append_filling(std::string& json, const Filling& filling) {
  json += R"({"score":)";
  append_number(json, filling.score);
  json += R"(,"token":)";
  append_number(json, static_cast<uint64_t>(filling.id));
  json += R"(,"token_str":)";
  append_string(json, filling.token);
  json += R"(,"sequence":)";
  append_string(json, filling.sequence);
  json += '}';
}

std::vector<size_t> read_layers(Body& body, const api::LoadedModel& model) {
  const auto last = static_cast<size_t>(model.config().num_hidden_layers);
  const auto* const value = body.find("layers");
  if (!value) return {last};
  std::vector<size_t> layers;
  const auto refuse = [&](const nlohmann::json& got) {
    throw Refused{Fault::validation,
                  fmt::format("`layers`: expected an array of numbers from 0 to {}, got {}", last, kind_of(got)),
                  "layers"};
  };
  if (!value->is_array()) refuse(*value);
  if (value->empty()) throw Refused{Fault::empty, "`layers` cannot be empty", "layers"};
  for (const auto& one : *value) {
    if (!one.is_number_unsigned() || one.get<uint64_t>() > last) refuse(one);
    layers.push_back(one.get<size_t>());
  }
  std::ranges::sort(layers);
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

Aggregation read_aggregation(Body& parameters) {
  const auto name = parameters.string("aggregation_strategy").value_or("simple");
  for (const auto& one : enum_names(Aggregation())) {
    if (one.name == name) return one.value;
  }
  throw Refused{Fault::validation,
                "`aggregation_strategy`: expected none, simple, first, average or max, got '" + printable(name) + "'",
                "parameters.aggregation_strategy"};
}

}  // namespace

void tokenize(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  const auto& tokenizer = model.model().tokenizer();
  auto input = read_input(body, "inputs");
  const bool special = body.boolean("add_special_tokens").value_or(true);
  call->require_texts(input.items.size());
  const std::string prompt = prompt_of(body, model);
  const text::EncodeOptions options{.special_tokens = special ? SpecialTokens::add : SpecialTokens::omit};
  std::vector<std::string> lists;
  Call::Size size{.texts = input.items.size()};
  for (size_t item = 0; item < input.items.size(); ++item) {
    if (input.items[item].ids) {
      throw Refused{Fault::validation, fmt::format("`inputs[{}]`: expected a text, got token ids", item), "inputs"};
    }
    const auto text = prompt + input.items[item].text;
    const auto encoding = tokenizer.encode(text, options);
    size.tokens += encoding.ids.size();
    size.characters += characters(input.items[item].text);
    call->require_answer(size.tokens * kTokenBytes);
    std::string json = "[";
    for (size_t token = 0; token < encoding.ids.size(); ++token) {
      const bool is_special = encoding.special[token] != 0;
      if (token > 0) json += ',';
      fmt::format_to(std::back_inserter(json), R"({{"id":{},"text":)", encoding.ids[token]);
      const auto& offsets = encoding.offsets[token];
      const auto written = tokenizer.token(encoding.ids[token]);
      append_string(json, is_special ? written : std::string_view(text).substr(offsets.begin, offsets.size()));
      json += R"(,"token":)";
      append_string(json, written);
      if (is_special) {
        json += R"(,"special":true,"start":null,"stop":null})";
      } else {
        fmt::format_to(std::back_inserter(json), R"(,"special":false,"start":{},"stop":{}}})", offsets.begin,
                       offsets.end);
      }
    }
    lists.push_back(json + "]");
  }
  call->set_size(size);
  call->charge();
  call->answer(fmt::format("[{}]", fmt::join(lists, ",")));
}

void decode(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  const auto skip = body.boolean("skip_special_tokens").value_or(true);
  auto input = read_input(body, "ids");
  call->require_texts(input.items.size());
  std::string json = "[";
  for (size_t item = 0; item < input.items.size(); ++item) {
    const auto& ids = input.items[item].ids;
    if (!ids) throw Refused{Fault::validation, fmt::format("`ids[{}]`: expected token ids, got a text", item), "ids"};
    const auto unknown =
        std::ranges::find_if(*ids, [&](int32_t id) { return id >= model.model().config().vocab_size; });
    if (unknown != ids->end()) {
      throw Refused{Fault::validation,
                    fmt::format("`ids[{}]`: expected ids of this model's vocabulary, 0 to {}, got {}", item,
                                model.model().config().vocab_size - 1, *unknown),
                    "ids"};
    }
    if (item > 0) json += ',';
    append_string(json, model.model().tokenizer().decode(*ids, skip ? SpecialTokens::omit : SpecialTokens::add));
  }
  call->answer(json + "]");
}

void embed_all(const std::shared_ptr<Call>& call) {
  ServedModel& model = call->model();
  auto texts =
      read_texts(*call, model, {.limit = model.model().sentence_limit(), .prompt = prompt_of(call->body(), model)});
  texts.single = false;  // always a list, as /embed
  const auto width = static_cast<size_t>(model.model().config().hidden_size);
  call->require_answer(call->size().tokens * width * bytes_of(Numbers::floats));
  const auto last = static_cast<size_t>(model.model().config().num_hidden_layers);
  each_text(call, model, std::move(texts), [&model, last](const TextList& list, const summand::Reading& reading) {
    const auto states =
        api::hidden_states(model.model(), list, {.length = reading.length, .layers = std::vector<size_t>{last}});
    std::vector<std::string> results;
    for (size_t text = 0; text < list.size(); ++text) append_matrix(results.emplace_back(), states.of_text(text, 0));
    return results;
  });
}

void hidden(const std::shared_ptr<Call>& call) {
  ServedModel& model = call->model();
  const auto layers = read_layers(call->body(), model.model());
  auto texts = read_texts(*call, model);
  const auto width = static_cast<size_t>(model.model().config().hidden_size);
  call->require_answer(call->size().tokens * width * layers.size() * bytes_of(Numbers::floats));
  each_text(call, model, std::move(texts), [&model, layers](const TextList& list, const summand::Reading& reading) {
    const auto states = api::hidden_states(model.model(), list, {.length = reading.length, .layers = layers});
    std::vector<std::string> results;
    for (size_t text = 0; text < list.size(); ++text) {
      const auto& encoding = states.texts[text];
      std::string json = fmt::format(R"({{"ids":[{}],"segments":[{}],"tokens":)", fmt::join(encoding.ids, ","),
                                     fmt::join(encoding.segments, ","));
      json += list_of(encoding.ids,
                      [&](std::string& out, int32_t id) { append_string(out, model.model().tokenizer().token(id)); });
      json += R"(,"hidden":{)";
      for (size_t i = 0; i < layers.size(); ++i) {
        fmt::format_to(std::back_inserter(json), R"({}"{}":)", i > 0 ? "," : "", layers[i]);
        append_matrix(json, states.of_text(text, i));
      }
      json += '}';
      if (states.pooled.rows() > 0) {
        json += R"(,"pooled":)";
        require_finite(states.pooled.row(text));
        append_vector(json, states.pooled.row(text), Numbers::floats);
      }
      results.push_back(json + "}");
    }
    return results;
  });
}

void fill_mask(const std::shared_ptr<Call>& call) {
  ServedModel& model = call->model();
  require_head(model, model::Head::masked_language);
  Body parameters = call->body().object("parameters");
  FillMaskOptions options;
  for (Body* const body : {&call->body(), &parameters}) {
    if (const auto top = body->count("top_k", 1, static_cast<size_t>(model.model().config().vocab_size)))
      options.top = *top;
    if (const auto targets = body->strings("targets")) {
      auto found = api::find_targets(model.model().tokenizer(), *targets);
      for (auto& line : found.notices) call->notice(std::move(line));
      options.targets = std::move(found.ids);
    }
  }
  const auto mask = model.model().tokenizer().mask_id();
  const auto check = [mask](size_t text, const api::Sequence& sequence) {
    if (mask && std::ranges::count(sequence.ids, *mask) > 0) return;
    throw Refused{
        Fault::validation,
        fmt::format("`inputs[{}]`: expected a text with a mask among the tokens that the model reads, got one without",
                    text),
        "inputs"};
  };
  auto texts = read_texts(*call, model, {.check = check});
  each_text(call, model, std::move(texts), [&model, options](const TextList& list, const summand::Reading& reading) {
    api::RecordBatches batches(model.model(), list,
                               {.length = reading.length, .batch_tokens = std::numeric_limits<size_t>::max()});
    auto batch = batches.next();
    std::vector<std::string> results;
    for (const auto& masks : api::fill_masks(model.model(), *batch, options)) {
      const auto of_mask = [](std::string& json, const FilledMask& one) {
        json += list_of(one.fillings, append_filling);
      };
      std::string json;
      if (masks.size() == 1) {
        of_mask(json, masks.front());
      } else {
        json = list_of(masks, of_mask);
      }
      results.push_back(std::move(json));
    }
    return results;
  });
}

void tag(const std::shared_ptr<Call>& call) {
  ServedModel& model = call->model();
  require_head(model, model::Head::token_classification);
  Body parameters = call->body().object("parameters");
  const auto aggregation = read_aggregation(parameters);
  auto texts = read_texts(*call, model, {.head = model::Head::token_classification});
  each_text(
      call, model, std::move(texts), [&model, aggregation](const TextList& list, const summand::Reading& reading) {
        api::RecordBatches batches(model.model(), list,
                                   {.length = reading.length,
                                    .windows = reading.windows,
                                    .batch_tokens = std::numeric_limits<size_t>::max(),
                                    .encodings = api::KeepEncodings::of_divided_too});
        auto batch = batches.next();
        const auto tagged = api::tag(
            model.model(), *batch, {.length = reading.length, .windows = reading.windows, .aggregation = aggregation});
        std::vector<std::string> results;
        for (size_t text = 0; text < tagged.size(); ++text) {
          results.push_back(list_of(tagged[text], [&](std::string& json, const Tag& one) {
            json += aggregation == Aggregation::none ? R"({"entity":)" : R"({"entity_group":)";
            append_string(json, one.label);
            json += R"(,"score":)";
            append_number(json, one.score);
            json += R"(,"word":)";
            append_string(json, one.word);
            fmt::format_to(std::back_inserter(json), R"(,"start":{},"end":{}}})",
                           characters(list[text].text.substr(0, one.bytes.begin)),
                           characters(list[text].text.substr(0, one.bytes.end)));
          }));
        }
        return results;
      });
}

}  // namespace summand::serve::routes
