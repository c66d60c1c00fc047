#include "io/head_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "model/parameters.hpp"

namespace summand::io {

namespace {

using model::Decoder;
using model::Head;
using model::Pooler;

constexpr const char* kDecoderWeight = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";
constexpr const char* kPredictionsBias = "cls.predictions.bias";

bool any_begins_with(const WeightFiles& files, std::string_view prefix) {
  const auto first = files.tensors.lower_bound(prefix);
  return first != files.tensors.end() && first->first.starts_with(prefix);
}

bool same_elements(const StoredTensor& a, const StoredTensor& b) {
  return a.unsupported.empty() && b.unsupported.empty() && a.tensor.dtype == b.tensor.dtype &&
         a.tensor.shape == b.tensor.shape && std::ranges::equal(a.tensor.bytes, b.tensor.bytes);
}

Decoder settle_decoder_weight(const model::Config& config, WeightFiles& files, std::vector<std::string>& notices) {
  const auto decoder = files.tensors.find(kDecoderWeight);
  if (!config.tie_word_embeddings) return Decoder::own;
  if (decoder == files.tensors.end()) return Decoder::tied;
  const auto table = files.tensors.find("embeddings.word_embeddings.weight");
  if (table != files.tensors.end() && same_elements(decoder->second, table->second)) {
    files.tensors.erase(decoder);
    return Decoder::tied;
  }
  notices.push_back(
      fmt::format("{}: '{}' differs from the token table, so the two are not tied, although "
                  "tie_word_embeddings is true",
                  path_text(files.path), kDecoderWeight));
  return Decoder::own;
}

/// Leaves one bias, under the name that the contract gives it.
void settle_decoder_bias(Decoder decoder, WeightFiles& files, std::vector<std::string>& notices) {
  const auto own = files.tensors.find(kDecoderBias);
  const auto shared = files.tensors.find(kPredictionsBias);
  const bool both = own != files.tensors.end() && shared != files.tensors.end();
  if (both && !same_elements(own->second, shared->second)) {
    notices.push_back(fmt::format("{}: '{}' is the bias and '{}', which differs, is left out", path_text(files.path),
                                  kDecoderBias, kPredictionsBias));
  }
  auto node = files.tensors.extract(own != files.tensors.end() ? kDecoderBias : kPredictionsBias);
  if (node.empty()) return;
  files.tensors.erase(kDecoderBias);
  files.tensors.erase(kPredictionsBias);
  node.key() = decoder == Decoder::own ? kDecoderBias : kPredictionsBias;
  files.tensors.insert(std::move(node));
}

/// What a classifier classifies; nothing if it is another model's, as of multiple choice.
std::optional<Head> classifier_kind(const model::Config& config, Pooler pooler) {
  if (config.architectures.empty()) {
    return pooler == Pooler::present ? Head::sequence_classification : Head::token_classification;
  }
  const auto named = [&](std::string_view architecture) {
    return std::ranges::count(config.architectures, architecture) > 0;
  };
  if (named("BertForSequenceClassification")) return Head::sequence_classification;
  if (named("BertForTokenClassification")) return Head::token_classification;
  return std::nullopt;
}

struct Candidate {
  Head head;
  std::string_view prefix;  ///< of its tensors
};

/// Adds a head if the checkpoint has all of its tensors, and says so if it has only some.
void add_if_complete(const Candidate& candidate, const model::Config& config, const WeightFiles& files,
                     model::ModelParts& parts, std::vector<std::string>& notices) {
  if (!any_begins_with(files, candidate.prefix)) return;
  std::vector<std::string> missing;
  for (const auto& parameter : model::head_parameters(config, candidate.head, parts.decoder)) {
    if (!files.tensors.contains(parameter.name)) missing.push_back(parameter.name);
  }
  if (model::reads_pooled_output(candidate.head) && parts.pooler == Pooler::absent) {
    missing.emplace_back("pooler.dense.weight");
  }
  if (missing.empty()) {
    parts.heads.push_back(candidate.head);
  } else {
    notices.push_back(fmt::format("{}: the {} head is left out, missing {}", path_text(files.path),
                                  model::name_of(candidate.head), quoted_list(missing)));
  }
}

}  // namespace

model::ModelParts find_parts(const model::Config& config, WeightFiles& files, std::vector<std::string>& notices) {
  model::ModelParts parts;
  parts.pooler = any_begins_with(files, "pooler.") ? Pooler::present : Pooler::absent;
  if (any_begins_with(files, "cls.predictions.")) {
    parts.decoder = settle_decoder_weight(config, files, notices);
    settle_decoder_bias(parts.decoder, files, notices);
  }
  add_if_complete({Head::masked_language, "cls.predictions."}, config, files, parts, notices);
  add_if_complete({Head::next_sentence, "cls.seq_relationship."}, config, files, parts, notices);
  if (const auto kind = classifier_kind(config, parts.pooler)) {
    add_if_complete({*kind, "classifier."}, config, files, parts, notices);
  }
  add_if_complete({Head::question_answering, "qa_outputs."}, config, files, parts, notices);
  return parts;
}

}  // namespace summand::io
