#include "api/heads/fill_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/batches/distinct_records.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/scores.hpp"
#include "base/error.hpp"

namespace summand::api {

namespace {

/// The id of a word, and a notice about it.
std::optional<int32_t> find_target(const text::Tokenizer& tokenizer, const std::string& word,
                                   std::vector<std::string>& notices) {
  if (const auto id = tokenizer.id(word)) return id;
  const auto pieces = tokenizer.encode(word, {.special_tokens = text::SpecialTokens::omit}).ids;
  const std::string name = printable(word);
  if (pieces.empty()) {
    notices.push_back(fmt::format("target '{}' has no token and is left out", name));
    return std::nullopt;
  }
  const std::string first = printable(tokenizer.token(pieces.front()));
  if (tokenizer.unk_id() == pieces.front()) {
    notices.push_back(fmt::format("target '{}' is not in the vocabulary; {} stands for it", name, first));
  } else if (pieces.size() == 1) {
    notices.push_back(fmt::format("target '{}' is read as '{}'", name, first));
  } else {
    notices.push_back(fmt::format("target '{}' is no single token; its first piece '{}' stands for it", name, first));
  }
  return pieces.front();
}

std::string sequence_of(const text::Tokenizer& tokenizer, std::vector<int32_t> ids, size_t token, int32_t filling,
                        text::SpecialTokens special_tokens) {
  ids[token] = filling;
  if (const auto pad = tokenizer.pad_id()) std::erase(ids, *pad);
  return tokenizer.decode(ids, special_tokens);
}

}  // namespace

FillTargets find_targets(const text::Tokenizer& tokenizer, std::span<const std::string> words) {
  FillTargets targets;
  for (const auto& word : words) {
    const auto id = find_target(tokenizer, word, targets.notices);
    if (id && std::ranges::find(targets.ids, *id) == targets.ids.end()) targets.ids.push_back(*id);
  }
  if (targets.ids.empty()) throw UsageError("targets", "expected at least one word with a token, got none");
  return targets;
}

std::vector<Filling> best_fillings(const text::Tokenizer& tokenizer, const text::Encoding& encoding, size_t token,
                                   std::span<const float> logits, const FillMaskOptions& options) {
  auto scores = to_scores(logits, ScoreFunction::softmax);
  if (!options.targets.empty()) {
    std::vector<double> of_targets;
    for (const auto id : options.targets) of_targets.push_back(scores[static_cast<size_t>(id)]);
    scores = std::move(of_targets);
  }
  // As in transformers: the other masks would be lost with the special tokens.
  const bool alone = std::ranges::count(encoding.ids, encoding.ids[token]) == 1;
  const auto special_tokens = alone ? text::SpecialTokens::omit : text::SpecialTokens::add;
  std::vector<Filling> fillings;
  for (const size_t place : largest_indices(scores, options.top)) {
    const auto id = options.targets.empty() ? static_cast<int32_t>(place) : options.targets[place];
    fillings.push_back({.id = id,
                        .score = scores[place],
                        .token = tokenizer.decode(std::span(&id, 1), text::SpecialTokens::add),
                        .sequence = sequence_of(tokenizer, encoding.ids, token, id, special_tokens)});
  }
  return fillings;
}

std::vector<size_t> find_masks(const LoadedModel& model, const RecordBatch& batch) {
  const auto mask = model.tokenizer().mask_id();
  if (!mask) throw ConfigError("tokenizer", "expected a mask token, got none");
  const auto& [ids, segments, positions, offsets] = batch.batch;
  std::vector<size_t> masks;
  for (size_t text = 0; text < batch.texts.size(); ++text) {
    const size_t before = masks.size();
    for (size_t token = offsets[text]; token < offsets[text + 1]; ++token) {
      if (ids[token] == *mask) masks.push_back(token);
    }
    if (masks.size() > before) continue;
    const size_t cut = batch.encodings[text].cut;
    throw TextError(
        "fill-mask",
        fmt::format("{}expected {} at least once, got none{}", error_prefix(batch.first + text),
                    model.tokenizer().token(*mask),
                    cut > 0 ? fmt::format(" ({} {} cut)", cut, cut == 1 ? "token was" : "tokens were") : ""));
  }
  return masks;
}

std::vector<std::vector<FilledMask>> fill_masks(const LoadedModel& model, RecordBatch& batch,
                                                const FillMaskOptions& options) {
  require_head(model, model::Head::masked_language);
  for (const auto id : options.targets) {
    if (id < 0 || id >= model.config().vocab_size) {
      throw UsageError("targets", fmt::format("expected ids below {}, got {}", model.config().vocab_size, id));
    }
  }
  const auto masks = find_masks(model, batch);
  std::vector<std::vector<FilledMask>> texts(batch.texts.size());
  size_t next = 0;
  for (size_t text = 0; text < texts.size(); ++text) {
    for (; next < masks.size() && masks[next] < batch.batch.offsets[text + 1]; ++next) {
      const size_t token = masks[next] - batch.batch.offsets[text];
      texts[text].push_back({.token = token, .bytes = batch.encodings[text].offsets[token], .fillings = {}});
    }
  }
  const DistinctRecords distinct(batch, with_taps(options.taps, options.repeated));
  // Each text's logits are used on the thread that made them: all of them at once would take gigabytes.
  const auto fill = [&](size_t place, const engine::TextResult& result) {
    const size_t text = distinct.kept()[place];
    for (size_t i = 0; i < texts[text].size(); ++i) {
      texts[text][i].fillings =
          best_fillings(model.tokenizer(), batch.encodings[text], texts[text][i].token, result.logits.row(i), options);
    }
  };
  const auto& computed = distinct.batch();
  const bool all = distinct.kept().size() == batch.size();
  const auto masks_computed = all ? masks : find_masks(model, computed);
  BatchTaps taps(options.taps, computed);
  model.engine().run(
      computed.batch,
      {.head = model::Head::masked_language, .masked = masks_computed, .on_text = fill, .taps = taps.for_engine()});
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t first = distinct.kept()[distinct.index_in_batch(text)];
    if (first == text) continue;
    for (size_t i = 0; i < texts[text].size(); ++i) texts[text][i].fillings = texts[first][i].fillings;
  }
  return texts;
}

}  // namespace summand::api
