#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "summand/tokens.hpp"
#include "text/added_tokens.hpp"
#include "text/decoder.hpp"
#include "text/normalizer.hpp"
#include "text/special_template.hpp"
#include "text/truncation.hpp"
#include "text/vocabulary.hpp"
#include "text/word_piece.hpp"
#include "text/word_splitter.hpp"

namespace summand::text {

using summand::Lowercase;

/// The tokens with a name of their own, as they are written.
struct SpecialNames {
  std::optional<std::string> unk = "[UNK]";
  std::optional<std::string> sep = "[SEP]";
  std::optional<std::string> pad = "[PAD]";
  std::optional<std::string> cls = "[CLS]";
  std::optional<std::string> mask = "[MASK]";
};

/// Everything the files of a tokenizer say; what either layout is read into.
struct TokenizerSettings {
  Vocabulary vocabulary;
  NormalizerSettings normalizer;
  WordPieceSettings word_piece;
  std::vector<AddedToken> added_tokens;                       ///< ids and normal forms filled in
  std::unordered_map<std::string, size_t> added_places = {};  ///< content → place in added_tokens; add_token() keeps it
  int32_t next_added_id = 0;                                  ///< above the ids of added_tokens; add_token() keeps it
  SpecialTemplates templates;
  std::optional<DecoderSettings> decoder;
  SpecialNames names;
  std::optional<size_t> model_max_length;
  std::vector<std::string> notices;
  WordSplit word_split = WordSplit::bert;
  SpecialTokensInText special_tokens_in_text = SpecialTokensInText::found;
  TruncationSide truncation_side = TruncationSide::end;
  bool cleans_up_decoded = false;                        ///< clean_up_tokenization_spaces, on top of the decoder's own
  std::string class_name = {};                           ///< of transformers, by which the files are read
  std::optional<std::string> difference = std::nullopt;  ///< see Tokenizer::difference(); among the notices too
};

/// Gives a token the id that its content has, or the next free one, and its normal form. A token with the content of
/// an earlier one takes its place.
/// @throws ConfigError if nothing is left of a normalised token: the reference would then cut texts to pieces
void add_token(TokenizerSettings& settings, AddedToken token);

/// An added token that has another id than its file gives it.
struct OtherId {
  std::string content;
  int32_t id = 0;
  uint64_t written = 0;
};

/// One notice for each; for those after the tenth only their number.
/// @param file  what gives the ids, for messages
void note_other_ids(const std::vector<OtherId>& others, std::string_view file, std::vector<std::string>& notices);

/// A folder with `tokenizer.json` or `vocab.txt`, and what `tokenizer_config.json`, `config.json`,
/// `special_tokens_map.json` and `added_tokens.json` say of its tokenizer. docs/tokenizers.md has which file wins.
/// @throws IoError, ConfigError naming the file, the place and what it cannot honour
/// Source: what AutoTokenizer of transformers 5.24 makes of these files
[[nodiscard]] TokenizerSettings read_tokenizer_folder(const std::filesystem::path& directory);

/// A bare vocabulary with BERT's own settings and names.
/// @throws IoError, ConfigError
[[nodiscard]] TokenizerSettings read_bare_vocabulary(const std::filesystem::path& vocab_txt, Lowercase lowercase);

}  // namespace summand::text
