#include "lab/probing/masked_language.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/run/run.hpp"
#include "lab/core/localize.hpp"
#include "lab/probing/cross_entropy.hpp"
#include "lab/subject/reached_ids.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kMaskedShare = 0.15;  // Devlin et al. 2019, section 3.1

}  // namespace

std::optional<LocalizedText> lacks_masked_language(const Subject& subject) {
  if (!subject.model) return localize("probing.gaps.checkpoint");
  if (!subject.model->engine().has_head(model::Head::masked_language)) {
    return localize("probing.gaps.masked_language_head");
  }
  if (!mask_id(subject.model->tokenizer(), subject.tokens.rows())) return localize("probing.gaps.mask_token");
  return {};
}

MaskedTexts mask_texts(const Subject& subject, const Texts& texts, RandomStream& stream) {
  const int32_t mask = subject.model->tokenizer().mask_id().value();
  MaskedTexts masked{.batch = texts.batch, .masked = {}, .labels = {}};
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    std::vector<size_t> ordinary;
    for (size_t t = texts.batch.offsets[text]; t < texts.batch.offsets[text + 1]; ++t) {
      if (!texts.special[t]) ordinary.push_back(t);
    }
    stream.shuffle(std::span(ordinary));
    const auto wanted = static_cast<size_t>(std::lround(kMaskedShare * static_cast<double>(ordinary.size())));
    ordinary.resize(std::min(ordinary.size(), std::max<size_t>(1, wanted)));
    std::ranges::sort(ordinary);
    for (const size_t t : ordinary) {
      masked.masked.push_back(t);
      masked.labels.push_back(texts.batch.ids[t]);
      masked.batch.ids[t] = mask;
    }
  }
  return masked;
}

double MaskedScores::mean_loss() const {
  return losses.empty() ? 0 : std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

double MaskedScores::accuracy() const {
  return right.empty() ? 0 : static_cast<double>(std::ranges::count(right, true)) / static_cast<double>(right.size());
}

MaskedScores masked_scores(const engine::Engine& engine, const MaskedTexts& texts) {
  std::vector<double> losses(texts.masked.size());
  std::vector<char> right(texts.masked.size());  // bits of std::vector<bool> share bytes between threads
  const auto take = [&](size_t text, const engine::TextResult& result) {
    const auto first =
        static_cast<size_t>(std::ranges::lower_bound(texts.masked, texts.batch.offsets[text]) - texts.masked.begin());
    for (size_t row = 0; row < result.logits.rows(); ++row) {
      const auto logits = result.logits.row(row);
      const int32_t label = texts.labels[first + row];
      losses[first + row] = cross_entropy<double>(logits, static_cast<size_t>(label));
      right[first + row] = std::ranges::max_element(logits) - logits.begin() == label ? 1 : 0;
    }
  };
  engine.run(texts.batch, {.head = model::Head::masked_language, .masked = texts.masked, .on_text = take});
  return {.losses = std::move(losses), .right = {right.begin(), right.end()}};
}

}  // namespace summand::lab
