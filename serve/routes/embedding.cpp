#include "serve/routes/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "serve/routes/computing.hpp"
#include "serve/routes/numbers.hpp"
#include "serve/routes/sequences.hpp"
#include "serve/routes/vector_recipe.hpp"

namespace summand::serve::routes {

namespace {

std::optional<size_t> read_dimensions(Body& body) {
  constexpr size_t kMost = 1 << 20;  // the model says better what it has
  return body.count("dimensions", 1, kMost);
}

/// With the prompt that the request names. Ids are taken as they are: for them alone, the model's default prompt is
/// none of theirs unless the request says so.
VectorRecipe prompted(Body& body, const Input& input, VectorRecipe recipe) {
  recipe.prompt_name = body.string("prompt_name");
  const bool named = recipe.prompt || recipe.prompt_name;
  if (!named && std::ranges::all_of(input.items, [](const InputItem& item) { return item.ids.has_value(); })) {
    recipe.prompt = "";
  }
  return recipe;
}

/// Where pooling leaves a prompt's tokens out, ids, which have no prompt, would lose tokens of their own.
void require_texts_behind_prompt(const ServedModel& model, const api::Embedder& embedder, const Input& input,
                                 const std::string& field) {
  if (embedder.prompt().empty() || model.model().checkpoint().sentence.include_prompt) return;
  const auto ids = std::ranges::find_if(input.items, [](const InputItem& item) { return item.ids.has_value(); });
  if (ids == input.items.end()) return;
  throw Refused{
      Fault::validation,
      fmt::format("`{}[{}]`: expected a text, since this model's pooling leaves the prompt of this request out, "
                  "got token ids",
                  field, ids - input.items.begin()),
      field};
}

Numbers read_numbers(Body& body) {
  const auto name = body.string("encoding_format").value_or("float");
  if (const auto* const numbers = numbers_named(name)) return *numbers;
  throw Refused{Fault::validation,
                "`encoding_format`: expected float, base64, int8, binary or ubinary, got '" + printable(name) + "'",
                "encoding_format"};
}

bool read_item_faults(Body& body) {
  const auto word = body.string("on_error").value_or("request");
  if (word == "item" || word == "request") return word == "item";
  throw Refused{Fault::validation, "`on_error`: expected request or item, got '" + printable(word) + "'", "on_error"};
}

/// {"error": …, "error_type": …} in the place of an item's vector.
void append_fault(std::string& json, const Refused& refused) {
  json += R"({"error":)";
  append_string(json, refused.message);
  json += R"(,"error_type":)";
  append_string(json, error_type(refused.fault));
  json += '}';
}

void append_embedding(std::string& json, std::span<const float> vector, Numbers numbers) {
  if (numbers != Numbers::int8) return append_vector(json, vector, numbers);
  json += R"({"scale":)";
  append_number(json, int8_scale(vector));
  json += R"(,"values":)";
  append_vector(json, vector, numbers);
  json += '}';
}

std::string list_of_vectors(const Rows& rows, const std::vector<ItemFault>& faults, Numbers numbers) {
  std::string json = "[";
  auto fault = faults.begin();
  size_t row = 0;
  for (size_t item = 0; item < rows.size() + faults.size(); ++item) {
    if (item > 0) json += ',';
    if (fault != faults.end() && fault->item == item) {
      append_fault(json, (fault++)->refused);
    } else {
      append_embedding(json, rows[row++], numbers);
    }
  }
  json += ']';
  return json;
}

void require_finite_rows(const Rows& rows) {
  for (const auto& row : rows) require_finite(row);
}

/// Source: OpenAI's API reference, "Create embeddings"; `scale` of int8 and `truncated` are ours
std::string openai_list(const Rows& rows, Numbers numbers, const std::string& model, const Call::Size& size) {
  std::string json = R"({"object":"list","data":[)";
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) json += ',';
    json += R"({"object":"embedding","index":)";
    append_number(json, uint64_t{i});
    if (numbers == Numbers::int8) {
      json += R"(,"scale":)";
      append_number(json, int8_scale(rows[i]));
    }
    json += R"(,"embedding":)";
    append_vector(json, rows[i], numbers);
    json += '}';
  }
  json += R"(],"model":)";
  append_string(json, model);
  fmt::format_to(std::back_inserter(json),
                 R"(,"usage":{{"prompt_tokens":{},"total_tokens":{},"truncated_inputs":{}}}}})", size.tokens,
                 size.tokens, size.truncated);
  return json;
}

}  // namespace

void embed(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  const auto input = read_input(body, "inputs");
  const auto embedder = make_embedder(model, prompted(body, input,
                                                      {.normalize = body.boolean("normalize").value_or(true),
                                                       .dimensions = read_dimensions(body),
                                                       .prompt = body.string("prompt")}));
  require_texts_behind_prompt(model, *embedder, input, "inputs");
  const auto numbers = read_numbers(body);
  Reading reading{.field = "inputs",
                  .prompt = embedder->prompt(),
                  .limit = embedder->limit(),
                  .item_faults = read_item_faults(body)};
  read_truncation(body, call->service().options.auto_truncate, reading);
  call->require_answer(input.items.size() * embedder->width() * bytes_of(numbers));
  auto made = make_sequences(*call, model.model(), input.items, reading);
  compute_vectors(call, model, embedder, std::move(made.sequences),
                  [call, numbers, faults = std::move(made.faults)](const Rows& rows) {
                    require_finite_rows(rows);
                    call->answer(list_of_vectors(rows, faults, numbers));
                  });
}

void openai_embeddings(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  const auto input = read_input(body, "input");
  const auto embedder = make_embedder(model, prompted(body, input, {.dimensions = read_dimensions(body)}));
  require_texts_behind_prompt(model, *embedder, input, "input");
  const auto numbers = read_numbers(body);
  static_cast<void>(body.string("user"));
  Reading reading{.field = "input", .prompt = embedder->prompt(), .limit = embedder->limit()};
  read_truncation(body, call->service().options.auto_truncate, reading);
  call->require_answer(input.items.size() * embedder->width() * bytes_of(numbers));
  auto made = make_sequences(*call, model.model(), input.items, reading);
  compute_vectors(call, model, embedder, std::move(made.sequences), [call, numbers, &model](const Rows& rows) {
    require_finite_rows(rows);
    call->answer(openai_list(rows, numbers, model.name(), call->size()));
  });
}

void similarity(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  Body inputs = body.object("inputs");
  Body parameters = body.object("parameters");
  auto source = inputs.string("source_sentence");
  auto sentences = inputs.strings("sentences");
  if (!source || !sentences) {
    throw Refused{Fault::validation, "`inputs`: expected source_sentence and sentences, got a body without them",
                  "inputs"};
  }
  if (sentences->empty()) throw Refused{Fault::empty, "`sentences` cannot be empty", "inputs.sentences"};
  std::vector<InputItem> items{{.text = *std::move(source)}};
  for (auto& one : *sentences) items.push_back({.text = std::move(one)});
  const auto embedder = make_embedder(model, {.prompt_name = parameters.string("prompt_name")});
  const auto place = [](size_t item) {
    return item == 0 ? std::string("inputs.source_sentence") : fmt::format("inputs.sentences[{}]", item - 1);
  };
  Reading reading{.field = "inputs", .place = place, .prompt = embedder->prompt(), .limit = embedder->limit()};
  read_truncation(parameters, call->service().options.auto_truncate, reading);
  auto made = make_sequences(*call, model.model(), items, reading);
  compute_vectors(call, model, embedder, std::move(made.sequences), [call](const Rows& rows) {
    require_finite_rows(rows);
    const auto product = [](std::span<const float> a, std::span<const float> b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      return sum;
    };
    const double norm = std::sqrt(product(rows[0], rows[0]));
    std::string json = "[";
    for (size_t i = 1; i < rows.size(); ++i) {
      if (i > 1) json += ',';
      const double norms = norm * std::sqrt(product(rows[i], rows[i]));
      append_number(json, norms > 0 ? static_cast<float>(product(rows[0], rows[i]) / norms) : 0.0F);
    }
    json += ']';
    call->answer(std::move(json));
  });
}

}  // namespace summand::serve::routes
