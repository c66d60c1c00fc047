#include "io/head_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/classifier_kind.hpp"
#include "model/parameters.hpp"
#include "model/window_bert.hpp"

namespace summand::io {

namespace {

using model::Decoder;
using model::Head;
using model::Pooler;

constexpr const char* kDecoderWeight = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";
constexpr const char* kPredictionsBias = "cls.predictions.bias";
constexpr const char* kClassifierWeight = "classifier.weight";

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

struct Candidate {
  Head head;
  std::string_view prefix;   ///< of its tensors
  std::string_view setting;  ///< of config.json, that it needs
};

/// Finds the heads of one checkpoint, one after another.
class HeadFinder {
 public:
  HeadFinder(model::ParsedConfig& parsed, const WeightFiles& files, model::ModelParts& parts,
             std::vector<std::string>& notices)
      : parsed_(parsed), files_(files), parts_(parts), notices_(notices) {}

  void add_if_complete(const Candidate& candidate);
  void add_classifier();
  void list_other_tensors();

 private:
  using Cause = model::AbsentHead::Cause;

  void add_classifier(Head head);
  [[nodiscard]] std::string what_is_missing(Head head) const;
  [[nodiscard]] std::string what_does_not_fit(const StoredTensor& weight, const StoredTensor& bias);
  [[nodiscard]] std::string what_differs_from_labels(size_t rows);

  void leave_out(Head head, Cause cause, std::string reason) {
    std::string where = cause == Cause::setting ? parsed_.where : path_text(files_.path);
    notices_.push_back(fmt::format("{}: the {} head is left out, {}", where, model::name_of(head), reason));
    parts_.absent.push_back({head, cause, std::move(where), std::move(reason)});
  }
  /// Of a setting that the head needs and that cannot be read.
  bool leave_out_for(Head head, std::string_view setting) {
    const auto* fault = parsed_.fault_for(setting);
    if (fault == nullptr) return false;
    leave_out(head, Cause::setting, fault->message);
    return true;
  }

  model::ParsedConfig& parsed_;
  const WeightFiles& files_;
  model::ModelParts& parts_;
  std::vector<std::string>& notices_;
};

/// "'classifier.weight' [3, 32]", with its type where nothing is computed with that.
std::string described(const StoredTensor& stored) {
  const std::string type = stored.unsupported.empty() ? model::describe(stored.tensor) : stored.unsupported;
  const bool is_usual = stored.unsupported.empty() && model::is_floating(stored.tensor.dtype);
  return fmt::format("'{}' {}", printable(stored.stored_name), is_usual ? type.substr(type.find('[')) : type);
}

std::string HeadFinder::what_is_missing(Head head) const {
  std::vector<std::string> missing;
  for (const auto& parameter : model::head_parameters(parsed_.config, head, parts_.decoder)) {
    if (!files_.tensors.contains(parameter.name)) missing.push_back(parameter.name);
  }
  if (model::reads_pooled_output(head) && parts_.pooler == Pooler::absent) missing.emplace_back("pooler.dense.weight");
  return missing.empty() ? "" : "missing " + quoted_list(missing);
}

/// Adds a head if the checkpoint has all of its tensors, and says so if it has only some.
void HeadFinder::add_if_complete(const Candidate& candidate) {
  if (!any_begins_with(files_, candidate.prefix)) return;
  if (leave_out_for(candidate.head, candidate.setting)) return;
  if (auto missing = what_is_missing(candidate.head); !missing.empty()) {
    return leave_out(candidate.head, Cause::tensors, std::move(missing));
  }
  parts_.heads.push_back(candidate.head);
}

/// Gives the classifier as many labels as it has rows, where the file leaves that open.
std::string HeadFinder::what_differs_from_labels(size_t rows) {
  auto& labels = parsed_.config.labels;
  if (rows == labels.size()) return "";
  const bool numbers_them = parsed_.num_labels == rows;  // id2label has another number of labels
  if (numbers_them || (!parsed_.names_labels && !parsed_.num_labels)) {
    notices_.push_back(
        fmt::format("{}: {}, so its labels are LABEL_0 to LABEL_{}", parsed_.where,
                    numbers_them ? fmt::format("num_labels is {} and id2label names {} labels", rows, labels.size())
                                 : fmt::format("there is no id2label and the classifier has {} rows", rows),
                    rows - 1));
    labels = model::numbered_labels(rows);
    return "";
  }
  return fmt::format("expected {} rows, the number of labels that {} gives, got {}", labels.size(),
                     parsed_.names_labels ? "id2label" : "num_labels", rows);
}

std::string HeadFinder::what_does_not_fit(const StoredTensor& weight, const StoredTensor& bias) {
  const auto hidden = static_cast<size_t>(parsed_.config.hidden_size);
  const auto& shape = weight.tensor.shape;
  const bool fits = weight.unsupported.empty() && bias.unsupported.empty() && shape.size() == 2 && shape[0] > 0 &&
                    shape[1] == hidden && bias.tensor.shape == std::vector<size_t>{shape[0]};
  if (!fits) {
    return fmt::format("expected a weight [labels, {}] and a bias [labels] in floating point, got {} and {}", hidden,
                       described(weight), described(bias));
  }
  if (auto reason = what_differs_from_labels(shape[0]); !reason.empty()) {
    return fmt::format("{}: {}", described(weight), reason);
  }
  return "";
}

void HeadFinder::add_classifier(Head head) {
  for (const auto* setting : {"id2label", "num_labels"}) {
    if (leave_out_for(head, setting)) return;
  }
  if (head == Head::sequence_classification && leave_out_for(head, "problem_type")) return;
  if (auto missing = what_is_missing(head); !missing.empty()) {
    return leave_out(head, Cause::tensors, std::move(missing));
  }
  const auto& weight = files_.tensors.find(kClassifierWeight)->second;
  const auto& bias = files_.tensors.find("classifier.bias")->second;
  if (auto reason = what_does_not_fit(weight, bias); !reason.empty()) {
    return leave_out(head, Cause::tensors, std::move(reason));
  }
  parts_.heads.push_back(head);
}

void HeadFinder::add_classifier() {
  if (!any_begins_with(files_, "classifier.")) return;
  const auto weight = files_.tensors.find(kClassifierWeight);
  if (weight == files_.tensors.end()) return;  // other tensors, as of a head in several steps: list_other_tensors()
  const ClassifierKind kind = classifier_kind(parsed_, parts_.pooler);
  const bool is_of_texts = kind.head == Head::sequence_classification;
  for (const Head head : {Head::sequence_classification, Head::token_classification}) {
    if (kind.head == head) continue;
    const std::string taken =
        kind.head ? fmt::format("{} is taken for a {} head, as {}{}", described(weight->second),
                                model::name_of(*kind.head), kind.why,
                                kind.is_named ? ""
                                              : fmt::format("; with \"architectures\": [\"{}\"] it is the other",
                                                            is_of_texts ? "BertForTokenClassification"
                                                                        : "BertForSequenceClassification"))
                  : fmt::format("{} is another head's, as {}", described(weight->second), kind.why);
    parts_.absent.push_back({head, Cause::tensors, parsed_.where, taken});
  }
  if (!kind.head) return;
  add_classifier(*kind.head);
  if (!parts_.has(*kind.head)) return;
  if (!kind.is_named && !parsed_.config.architectures.empty()) {
    notices_.push_back(fmt::format("{}: 'classifier.weight' is taken for a {} head, as {}; architectures names {}",
                                   parsed_.where, model::name_of(*kind.head), kind.why,
                                   quoted_list(parsed_.config.architectures)));
  }
  const bool is_of_several = std::ranges::any_of(
      parsed_.config.architectures, [](const std::string& name) { return name.find("MultiLabel") != name.npos; });
  if (is_of_several && is_of_texts && parsed_.config.problem_type == model::ProblemType::unspecified) {
    notices_.push_back(
        fmt::format("{}: there is no problem_type, so one label holds and scores are a softmax, as in "
                    "transformers; \"multi_label_classification\" lets several hold",
                    parsed_.where));
  }
}

void HeadFinder::list_other_tensors() {
  std::set<std::string> known;
  for (const Head head : parts_.heads) {
    for (auto& parameter : model::head_parameters(parsed_.config, head, parts_.decoder)) known.insert(parameter.name);
  }
  for (const auto& [name, stored] : files_.tensors) {
    const bool is_of_encoder = name.starts_with("embeddings.") || name.starts_with("encoder.") ||
                               name.starts_with("pooler.") || name.starts_with(model::kWindowEncoderPrefix) ||
                               known.contains(name);
    if (!is_of_encoder) parts_.other_tensors.push_back(described(stored));
  }
}

}  // namespace

model::ModelParts find_parts(model::ParsedConfig& parsed, WeightFiles& files, std::vector<std::string>& notices) {
  model::ModelParts parts;
  parts.pooler = any_begins_with(files, "pooler.") ? Pooler::present : Pooler::absent;
  if (any_begins_with(files, "cls.predictions.")) {
    parts.decoder = settle_decoder_weight(parsed.config, files, notices);
    settle_decoder_bias(parts.decoder, files, notices);
  }
  HeadFinder finder(parsed, files, parts, notices);
  finder.add_if_complete({Head::masked_language, "cls.predictions.", "tie_word_embeddings"});
  finder.add_if_complete({Head::next_sentence, "cls.seq_relationship.", {}});
  finder.add_classifier();
  finder.add_if_complete({Head::question_answering, "qa_outputs.", {}});
  finder.list_other_tensors();
  return parts;
}

}  // namespace summand::io
