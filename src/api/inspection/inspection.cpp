#include "api/inspection/inspection.hpp"

#include <fmt/format.h>

#include <limits>

#include "api/inspection/row_math.hpp"
#include "model/parameters.hpp"

namespace summand::api {

namespace {

TableNorms norms_of(std::string name, const model::Tensor& tensor) {
  const auto table = model::to_matrix<double>(tensor);
  const auto mean = mean_row(table);
  const auto rows = static_cast<double>(table.rows());
  TableNorms norms{.table = std::move(name), .rows = table.rows(), .least = std::numeric_limits<double>::infinity()};
  for (size_t row = 0; row < table.rows(); ++row) {
    const double own = norm(table.row(row));
    norms.least = std::min(norms.least, own);
    norms.largest = std::max(norms.largest, own);
    norms.mean += own / rows;
    norms.centred_mean += norm(difference(table.row(row), mean)) / rows;
  }
  return norms;
}

std::pair<std::string, std::string> row_of(const model::SentenceStep& step) {
  if (const auto* dense = std::get_if<model::Dense>(&step)) {
    return {"dense", fmt::format("{} to {}, {}{}", dense->weight.shape[1], dense->weight.shape[0],
                                 model::name_of(dense->activation),
                                 dense->residual == model::Residual::none ? "" : ", with a residual")};
  }
  if (const auto* norm = std::get_if<model::VectorNorm>(&step)) {
    return {"layer norm", fmt::format("{} coordinates", norm->weight.shape[0])};
  }
  return {"normalised between", "yes"};
}

std::vector<std::pair<std::string, std::string>> sentence_rows(const LoadedModel& model) {
  if (model.checkpoint().sentence_fault) return {{"pooling", "none: see the notices"}};
  const auto& sentence = model.checkpoint().sentence;
  std::string pooling;
  for (const auto mode : sentence.pooling)
    pooling += (pooling.empty() ? "" : " + ") + std::string(model::name_of(mode));
  if (!sentence.from_directory) pooling += " (default: the directory has no modules.json)";
  std::vector<std::pair<std::string, std::string>> rows{{"pooling", pooling}};
  const size_t ending = model::first_ending(sentence);
  for (size_t step = 0; step < ending; ++step) rows.push_back(row_of(sentence.steps[step]));
  rows.emplace_back("normalised", ending < sentence.steps.size() ? "yes" : "no");
  rows.emplace_back("compared by", fmt::format("{}{}", model::name_of(sentence.similarity),
                                               sentence.names_similarity ? "" : " (default)"));
  if (sentence.truncate_dimensions) rows.emplace_back("dimensions", std::to_string(*sentence.truncate_dimensions));
  rows.emplace_back("texts cut at",
                    fmt::format("{} token{}", model.sentence_limit(), model.sentence_limit() == 1 ? "" : "s"));
  for (const auto& [name, prompt] : sentence.prompts) {
    if (prompt.empty()) continue;  // sentence-transformers gives every model an empty 'query' and 'document'
    const bool is_default = sentence.default_prompt_name == name;
    rows.emplace_back(fmt::format("prompt '{}'{}", name, is_default ? " (default)" : ""),
                      fmt::format("\"{}\"", prompt));
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> tokenizer_rows(const text::Tokenizer& tokenizer) {
  std::vector<std::pair<std::string, std::string>> rows{{"entries", std::to_string(tokenizer.vocabulary_size())}};
  const auto add = [&](const char* name, std::optional<int32_t> id) {
    if (id) rows.emplace_back(name, fmt::format("{} ({})", tokenizer.token(*id), *id));
  };
  add("unknown", tokenizer.unk_id());
  add("classification", tokenizer.cls_id());
  add("separator", tokenizer.sep_id());
  add("padding", tokenizer.pad_id());
  add("mask", tokenizer.mask_id());
  if (const auto limit = tokenizer.model_max_length()) rows.emplace_back("model_max_length", std::to_string(*limit));
  return rows;
}

}  // namespace

Inspection inspect(const LoadedModel& model) {
  const auto& checkpoint = model.checkpoint();
  Inspection result;
  result.directory = checkpoint.directory.string();
  result.config = model::rows_of(checkpoint.config);
  for (const auto& parameter : model::parameters(model.config(), checkpoint.parts)) {
    const std::string part(model::name_of(parameter.part));
    if (result.parts.empty() || result.parts.back().part != part) result.parts.push_back({part, 0});
    result.parts.back().parameters += elements(parameter);
    result.parameters += elements(parameter);
    const model::Tensor& tensor = checkpoint.weights.at(parameter.name);
    if (tensor.dtype == model::DType::i8) result.in_8_bits += elements(parameter);
    const bool table = parameter.part == model::ParameterGroup::token_table ||
                       parameter.part == model::ParameterGroup::position_table ||
                       parameter.part == model::ParameterGroup::segment_table;
    if (table) result.tables.push_back(norms_of(part, tensor));
  }
  result.sentence = sentence_rows(model);
  result.tokenizer = tokenizer_rows(model.tokenizer());
  result.notices = model.notices();
  return result;
}

}  // namespace summand::api
