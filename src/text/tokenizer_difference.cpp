#include "text/tokenizer_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::text {

namespace {

using Items = std::vector<std::string>;

/// A part of tokenizer.json, or nothing if it cannot be read here.
template <class Read>
auto readable(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

std::string type_of(const JsonObject& file, std::string_view key) {
  const Json* const part = file.find(key);
  if (!part || !part->is_object() || !part->contains("type") || !part->at("type").is_string()) return "none";
  return printable(part->at("type").get<std::string>());
}

void compare_normalizer(const TokenizerJson& json, const NormalizerSettings& taken, Items& items) {
  const auto written = readable([&] { return json.normalizer(); });
  if (!written || !written->is_bert()) {
    items.push_back(fmt::format("normalizer BertNormalizer, not {}", type_of(json.file(), "normalizer")));
    return;
  }
  const auto compare = [&items](std::string_view name, bool is, bool was) {
    if (is != was) items.push_back(fmt::format("{} {}, not {}", name, is, was));
  };
  compare("lowercase", taken.lowercase, written->lowercase);
  compare("strip_accents", taken.strip_accents, written->strip_accents);
  compare("handle_chinese_chars", taken.handle_chinese_chars, written->handle_chinese_chars);
  compare("clean_text", taken.clean_text, written->clean_text);
}

void compare_words(const TokenizerJson& json, const TokenizerSettings& taken, Items& items) {
  if (readable([&] { return json.word_split(); }) != taken.word_split) {
    items.push_back(fmt::format("pre_tokenizer BertPreTokenizer, not {}", type_of(json.file(), "pre_tokenizer")));
  }
  const auto written = readable([&] { return json.word_piece(); });
  if (!written) return;
  const auto& piece = taken.word_piece;
  if (written->unk_token != piece.unk_token) {
    items.push_back(fmt::format("unk_token '{}', not '{}'", printable(piece.unk_token), printable(written->unk_token)));
  }
  if (written->continuing_subword_prefix != piece.continuing_subword_prefix) {
    items.push_back(fmt::format("continuing_subword_prefix '{}', not '{}'", piece.continuing_subword_prefix,
                                printable(written->continuing_subword_prefix)));
  }
  if (written->max_input_chars_per_word != piece.max_input_chars_per_word) {
    items.push_back(fmt::format("max_input_chars_per_word {}, not {}", piece.max_input_chars_per_word,
                                written->max_input_chars_per_word));
  }
}

SpecialTemplates without_segments(SpecialTemplates templates) {
  for (auto* const special : {&templates.single, &templates.pair}) {
    for (auto& piece : special->pieces) piece.segment = 0;
  }
  return templates;
}

void compare_templates(const TokenizerJson& json, const SpecialTemplates& taken, Items& items) {
  const auto written = readable([&] { return json.templates(); });
  if (written == taken) return;
  const bool same_tokens = written && without_segments(*written) == without_segments(taken);
  items.push_back(same_tokens ? "segments 0 in pairs too" : "special tokens around texts as BERT's");
}

std::string named_tokens(const std::vector<std::string_view>& contents) {
  constexpr size_t kMost = 3;
  Items names;
  for (size_t i = 0; i < std::min(contents.size(), kMost); ++i) {
    names.push_back(fmt::format("'{}'", printable(contents[i])));
  }
  const size_t more = contents.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Compares the tokens found in texts, whose ids follow from the same rule in both.
void compare_added(const TokenizerJson& json, const TokenizerSettings& taken, Items& items) {
  const auto written = json.added_tokens();
  std::unordered_map<std::string_view, const AddedToken*> before;
  for (const auto& [id, token] : written) before.insert_or_assign(token.content, &token);
  std::vector<std::string_view> added;
  std::vector<std::string_view> changed;
  for (const AddedToken& token : taken.added_tokens) {
    const auto was = before.find(token.content);
    if (was == before.end()) {
      added.push_back(token.content);
    } else if (!same_flags(*was->second, token)) {
      changed.push_back(token.content);
    }
  }
  std::vector<std::string_view> left_out;
  for (const auto& [id, token] : written) {
    if (!token.content.empty() && !taken.added_places.contains(token.content)) left_out.push_back(token.content);
  }
  if (!added.empty()) items.push_back("added tokens " + named_tokens(added));
  if (!changed.empty()) items.push_back("other flags of added tokens " + named_tokens(changed));
  if (!left_out.empty()) items.push_back("no added tokens " + named_tokens(left_out));
}

/// What tokenizer_config.json asks of the class in vain.
Items without_effect(const TokenizerOrigin& origin, const NormalizerSettings& taken) {
  Items keys;
  const auto& config = origin.config;
  if (!config) return keys;
  const auto expect = [&](std::string_view key, bool value) {
    if (config->boolean(key).value_or(value) != value) keys.emplace_back(key);
  };
  const Json* const never_split = config->find("never_split");
  switch (origin.chosen.source) {
    case TokenizerSource::bert_settings:
      if (!origin.chosen.reads_casing) expect("do_lower_case", true);
      expect("do_basic_tokenize", true);
      if (never_split && !never_split->empty()) keys.emplace_back("never_split");
      break;
    case TokenizerSource::json_with_bert_tokens:
    case TokenizerSource::tokenizer_json: {
      const auto order = taken.in_order();
      const auto has = [&order](NormalizerStep step) { return std::ranges::find(order, step) != order.end(); };
      expect("do_lower_case", has(NormalizerStep::lowercase));
      expect("strip_accents", has(NormalizerStep::strip_nonspacing) || has(NormalizerStep::strip_marks));
      expect("tokenize_chinese_chars", has(NormalizerStep::space_ideographs));
      break;
    }
  }
  return keys;
}

}  // namespace

std::optional<std::string> describe_difference(const std::filesystem::path& directory, const TokenizerOrigin& origin,
                                               const TokenizerSettings& settings) {
  Items items;
  if (origin.json) {
    if (origin.chosen.source == TokenizerSource::bert_settings) {
      compare_normalizer(*origin.json, settings.normalizer, items);
      compare_words(*origin.json, settings, items);
      if (readable([&] { return origin.json->decoder(); }) != settings.decoder) items.emplace_back("decoder as BERT's");
    }
    compare_templates(*origin.json, settings.templates, items);
    compare_added(*origin.json, settings, items);
    if (settings.special_tokens_in_text == SpecialTokensInText::split) items.emplace_back("split_special_tokens true");
  }
  std::string line;
  if (!items.empty()) {
    line = fmt::format("{}: as in transformers' {}, other files and defaults win: {}",
                       path_text(directory / "tokenizer.json"),
                       origin.chosen.name.empty() ? "AutoTokenizer" : origin.chosen.name, fmt::join(items, "; "));
  }
  if (const auto keys = without_effect(origin, settings.normalizer); !keys.empty()) {
    line += fmt::format("{}{}: {} without effect, as in transformers", line.empty() ? "" : "; ",
                        path_text(directory / "tokenizer_config.json"), fmt::join(keys, ", "));
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

}  // namespace summand::text
