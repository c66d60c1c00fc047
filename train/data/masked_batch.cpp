#include "train/data/masked_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace summand::train {

namespace {

int32_t required(std::optional<int32_t> id, std::string_view token) {
  if (!id) throw ConfigError("tokenizer", fmt::format("expected the token {}, got a vocabulary without it", token));
  return *id;
}

bool begins_unit(const TokenFile& file, uint64_t token, MaskUnit unit, const SpecialIds& ids) {
  switch (unit) {
    case MaskUnit::token:
      return true;
    case MaskUnit::word:
      return ids.continues_a_word[static_cast<size_t>(file.id(token))] == 0;
    case MaskUnit::spaced:
      return file.follows_space(token);
  }
  __builtin_unreachable();
}

/// The tokens of an example, both texts.
struct Flat {
  std::vector<uint64_t> places;  // in the file
  std::vector<uint8_t> starts;   // of units
};

Flat flatten(const TokenFile& file, const Example& example, MaskUnit unit, const SpecialIds& ids) {
  Flat flat;
  for (const Range& text : {example.first, example.second}) {
    for (uint64_t token = text.begin; token < text.end; ++token) {
      flat.places.push_back(token);
      flat.starts.push_back(token == text.begin || begins_unit(file, token, unit, ids) ? 1 : 0);
    }
  }
  return flat;
}

/// 0 or 1 for each token of both texts: which sentence it is in, counted from the first.
std::vector<int32_t> parities(const TokenFile& file, const Example& example) {
  std::vector<int32_t> parity;
  int32_t number = -1;
  for (const Range& text : {example.first, example.second}) {
    for (size_t sentence = file.sentence_of(text.begin);
         sentence < file.sentences() && file.sentence(sentence).begin < text.end; ++sentence) {
      const Range tokens = file.sentence(sentence);
      const size_t shared = std::min(tokens.end, text.end) - std::max(tokens.begin, text.begin);
      if (shared > 0) parity.insert(parity.end(), shared, ++number % 2);
    }
  }
  return parity;
}

std::vector<int32_t> segments_of(const TokenFile& file, const Example& example, Segments segments) {
  switch (segments) {
    case Segments::pair: {
      std::vector<int32_t> all(example.first.size(), 0);
      all.insert(all.end(), example.second.size(), 1);
      return all;
    }
    case Segments::parity:
      return parities(file, example);
    case Segments::none:
      return std::vector<int32_t>(example.tokens(), 0);
  }
  __builtin_unreachable();
}

/// Takes tokens off the end of the longer text. @param most  at least as many as there are texts
void shorten(Example& example, size_t most) {
  while (example.tokens() > most)
    --(example.first.size() >= example.second.size() ? example.first : example.second).end;
}

std::string named(std::string_view what, const Example& example, size_t copy, uint64_t epoch) {
  return fmt::format("{} {} {} {} {}", what, epoch, example.document, example.place, copy);
}

}  // namespace

std::span<const model::EnumName<Segments>> enum_names(Segments) {
  static constexpr std::array kNames{model::EnumName{Segments::pair, "pair"},
                                     model::EnumName{Segments::parity, "parity"},
                                     model::EnumName{Segments::none, "none"}};
  return kNames;
}

SpecialIds SpecialIds::of(const text::Tokenizer& tokenizer) {
  SpecialIds ids{.cls = required(tokenizer.cls_id(), "[CLS]"),
                 .sep = required(tokenizer.sep_id(), "[SEP]"),
                 .mask = required(tokenizer.mask_id(), "[MASK]"),
                 .ordinary = {},
                 .is_special = std::vector<uint8_t>(tokenizer.vocabulary_size()),
                 .continues_a_word = std::vector<uint8_t>(tokenizer.vocabulary_size())};
  const std::vector<int32_t> special{ids.cls, ids.sep, ids.mask, tokenizer.pad_id().value_or(-1)};
  for (size_t i = 0; i < tokenizer.vocabulary_size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string_view token = tokenizer.token(id);
    ids.continues_a_word[i] = token.starts_with(tokenizer.continuing_prefix()) ? 1 : 0;
    ids.is_special[i] = std::ranges::find(special, id) != special.end() ? 1 : 0;
    const bool is_word =
        !tokenizer.decode(std::span(&id, 1), text::SpecialTokens::omit).empty();  // no added special one
    if (is_word && ids.is_special[i] == 0 && id != tokenizer.unk_id()) ids.ordinary.push_back(id);
  }
  if (ids.ordinary.empty())
    throw ConfigError("tokenizer", "expected words in the vocabulary, got special tokens alone");
  return ids;
}

MaskedBatch MaskedBatch::part(size_t begin, size_t end) const {
  const auto sliced = [](const auto& all, size_t from, size_t to) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
    return std::remove_cvref_t<decltype(all)>(first, first + static_cast<std::ptrdiff_t>(to - from));
  };
  const size_t first_token = batch.offsets[begin], end_token = batch.offsets[end];
  const auto place = [&](size_t token) {
    return static_cast<size_t>(std::ranges::lower_bound(predicted, token) - predicted.begin());
  };
  const size_t first = place(first_token), last = place(end_token);
  MaskedBatch part{.batch = batch.part(begin, end),
                   .predicted = sliced(predicted, first, last),
                   .targets = sliced(targets, first, last),
                   .pair_labels = {},
                   .corrupted = sliced(corrupted, first_token, end_token)};
  for (size_t& token : part.predicted) token -= first_token;
  if (!pair_labels.empty()) part.pair_labels = sliced(pair_labels, begin, end);
  return part;
}

void append_masked(MaskedBatch& masked_batch, const TokenFile& file, const Example& example, const SequenceRules& rules,
                   const SpecialIds& ids, size_t copy, uint64_t seed, uint64_t epoch) {
  const Flat flat = flatten(file, example, rules.masks.unit, ids);
  const auto segments = segments_of(file, example, rules.segments);
  RandomStream draws(seed, named("masks", example, 0, epoch));  // all copies divide one choice
  Masked chosen = masked(flat.starts, rules.masks, copy, draws);
  for (size_t i = 0; i < flat.places.size(); ++i) {
    if (ids.is_special[static_cast<size_t>(file.id(flat.places[i]))] == 0) continue;
    chosen.predicted[i] = chosen.corrupted[i] = 0;  // a text wrote "[SEP]"
  }
  RandomStream changes(seed, named("corruptions", example, copy, epoch));
  std::vector<int32_t> sequence;
  std::vector<int32_t> sequence_segments;
  const auto put = [&](int32_t id, int32_t segment, bool is_corrupted) {
    sequence.push_back(id);
    sequence_segments.push_back(segment);
    masked_batch.corrupted.push_back(is_corrupted ? 1 : 0);
  };
  const size_t before = masked_batch.batch.tokens();
  put(ids.cls, segments.front(), false);
  for (size_t i = 0; i < flat.places.size(); ++i) {
    const int32_t id = file.id(flat.places[i]);
    const int32_t changed = corrupted(id, ids.mask, ids.ordinary, rules.masks, changes);  // every token has its draw
    if (chosen.predicted[i] != 0) {
      masked_batch.predicted.push_back(before + sequence.size());
      masked_batch.targets.push_back(id);
    }
    put(chosen.corrupted[i] != 0 ? changed : id, segments[i], chosen.corrupted[i] != 0);
    const bool ends = i + 1 == example.first.size() || i + 1 == flat.places.size();
    if (ends) put(ids.sep, segments[i], false);
  }
  int32_t first_position = 0;
  if (rules.random_start) {
    RandomStream start(seed, named("start", example, 0, epoch));
    first_position = static_cast<int32_t>(start.below(rules.positions - sequence.size() + 1));
  }
  masked_batch.batch.add(sequence, sequence_segments, first_position);
  if (example.label >= 0) masked_batch.pair_labels.push_back(example.label);
}

BatchStream::BatchStream(const TokenFile& file, const SpecialIds& ids, const SequenceRules& rules, uint64_t seed,
                         BatchPlace place)
    : file_(file),
      ids_(ids),
      rules_(rules),
      seed_(seed),
      stream_(file, rules.examples, seed, place.stream),
      copy_(place.copy) {}

MaskedBatch BatchStream::next(size_t most_tokens) {
  struct Drawn {
    Example example;
    size_t copy;
    uint64_t epoch;
  };
  std::vector<Drawn> drawn;
  const size_t special = special_tokens_of(rules_.examples.pairs);
  const size_t least = special + (rules_.examples.pairs == Pairs::none ? 1 : 2);
  const size_t copies = masked_copies(rules_.masks);
  size_t tokens = 0;
  while (most_tokens - tokens >= least) {
    Example example = stream_.current();
    const bool fits = tokens + example.tokens() + special <= most_tokens;
    if (!fits && (copies > 1 || drawn.empty())) break;
    if (!fits) shorten(example, most_tokens - tokens - special);
    drawn.push_back({example, copy_, stream_.place().epoch});
    tokens += example.tokens() + special;
    if (++copy_ < copies) continue;
    copy_ = 0;
    stream_.advance();
  }
  // Texts of one length side by side: attention takes them together.
  std::ranges::stable_sort(drawn, std::greater(), [](const Drawn& one) { return one.example.tokens(); });
  MaskedBatch result;
  for (const auto& [example, copy, epoch] : drawn) {
    append_masked(result, file_, example, rules_, ids_, copy, seed_, epoch);
  }
  return result;
}

}  // namespace summand::train
