#include "text/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "base/object_pool.hpp"
#include "base/utf8.hpp"
#include "text/added_tokens.hpp"
#include "text/character_table.hpp"
#include "text/sequence_builder.hpp"
#include "text/text_encoder.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

namespace {

/// Bytes above which a workspace is not left for the next call: it was a text of some 50,000 tokens.
constexpr size_t kMostLeft = size_t{1} << 20;

}  // namespace

struct Tokenizer::Workspace::Memory {
  TextEncoder::Scratch scratch;
  std::vector<Token> tokens;
  std::vector<Token> second;  // of a pair, or of one of several words

  [[nodiscard]] size_t bytes() const {
    const auto bytes_of = [](const auto&... lists) { return (... + (lists.capacity() * sizeof(*lists.data()))); };
    return bytes_of(tokens, second, scratch.segments, scratch.normalized_segments, scratch.word.bytes,
                    scratch.word.ranges);
  }
};

struct Tokenizer::Parts {
  /// Of the named tokens, looked up once.
  struct NamedIds {
    std::optional<int32_t> pad;
    std::optional<int32_t> unk;
    std::optional<int32_t> cls;
    std::optional<int32_t> sep;
    std::optional<int32_t> mask;
  };

  explicit Parts(TokenizerSettings given)
      : settings(std::move(given)),
        word_piece(settings.vocabulary, settings.word_piece),
        text_encoder(settings.normalizer, settings.added_tokens, word_piece, settings.word_split,
                     settings.special_tokens_in_text) {
    for (const AddedToken& token : settings.added_tokens) {
      added.emplace(token.id, &token);
      if (token.special) special_contents.insert(token.content);
      size = std::max(size, static_cast<size_t>(token.id) + 1);
    }
    for (const auto& [text, id] : settings.vocabulary.tokens()) size = std::max(size, static_cast<size_t>(id) + 1);
    const auto& names = settings.names;
    ids = {.pad = named(names.pad),
           .unk = named(names.unk),
           .cls = named(names.cls),
           .sep = named(names.sep),
           .mask = named(names.mask)};
  }

  [[nodiscard]] std::optional<int32_t> id(std::string_view token) const {
    for (const AddedToken& candidate : settings.added_tokens) {
      if (candidate.content == token) return candidate.id;
    }
    return settings.vocabulary.id(token);
  }

  [[nodiscard]] std::optional<int32_t> named(const std::optional<std::string>& name) const {
    return name ? id(*name) : std::nullopt;
  }

  [[nodiscard]] std::vector<Token> tokens(std::string_view text) const {
    TextEncoder::Scratch scratch;
    std::vector<Token> tokens;
    text_encoder.encode(text, scratch, tokens);
    return tokens;
  }

  /// Words already split: the tokens of all, `word` being the place in the list.
  void encode_words(std::span<const std::string> words, Workspace::Memory& memory) const {
    memory.tokens.clear();
    for (size_t index = 0; index < words.size(); ++index) {
      text_encoder.encode(words[index], memory.scratch, memory.second);
      for (Token& token : memory.second) {
        token.word = static_cast<int32_t>(index);
        memory.tokens.push_back(token);
      }
    }
  }

  [[nodiscard]] std::vector<Token> tokens(std::span<const std::string> words) const {
    Workspace::Memory memory;
    encode_words(words, memory);
    return std::move(memory.tokens);
  }

  TokenizerSettings settings;
  WordPiece word_piece;
  TextEncoder text_encoder;
  std::unordered_map<int32_t, const AddedToken*> added;
  std::unordered_set<std::string_view> special_contents;
  NamedIds ids;
  size_t size = 0;
  mutable ObjectPool<Workspace> workspaces;  // for calls that bring none
};

Tokenizer::Workspace::Workspace() : memory_(std::make_unique<Memory>()) {}
Tokenizer::Workspace::Workspace(Workspace&&) noexcept = default;
Tokenizer::Workspace& Tokenizer::Workspace::operator=(Workspace&&) noexcept = default;
Tokenizer::Workspace::~Workspace() = default;

Tokenizer::Tokenizer(TokenizerSettings settings) : parts_(std::make_unique<Parts>(std::move(settings))) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& directory, Casing casing) {
  TokenizerSettings settings = read_tokenizer_folder(directory);
  if (casing == Casing::lowercase) settings.normalizer.add_lowercase();
  return Tokenizer(std::move(settings));
}

Tokenizer Tokenizer::from_vocabulary(const std::filesystem::path& vocab_txt, Lowercase lowercase) {
  return Tokenizer(read_bare_vocabulary(vocab_txt, lowercase));
}

void Tokenizer::encode_into(std::string_view text, const EncodeOptions& options, Workspace& workspace,
                            Encoding& encoding) const {
  Workspace::Memory& memory = *workspace.memory_;
  parts_->text_encoder.encode(text, memory.scratch, memory.tokens);
  build_sequence(parts_->settings, memory.tokens, nullptr, options, encoding);
}

void Tokenizer::encode_pair_into(std::string_view first, std::string_view second, const EncodeOptions& options,
                                 Workspace& workspace, Encoding& encoding) const {
  Workspace::Memory& memory = *workspace.memory_;
  parts_->text_encoder.encode(first, memory.scratch, memory.tokens);
  parts_->text_encoder.encode(second, memory.scratch, memory.second);
  build_sequence(parts_->settings, memory.tokens, &memory.second, options, encoding);
}

void Tokenizer::encode_words_into(std::span<const std::string> words, const EncodeOptions& options,
                                  Workspace& workspace, Encoding& encoding) const {
  Workspace::Memory& memory = *workspace.memory_;
  parts_->encode_words(words, memory);
  build_sequence(parts_->settings, memory.tokens, nullptr, options, encoding);
}

/// @param encode  takes a workspace and the encoding to replace
template <class Encode>
Encoding Tokenizer::with_workspace(const Encode& encode) const {
  auto workspace = parts_->workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  Encoding encoding;
  encode(*workspace, encoding);
  if (workspace->memory_->bytes() <= kMostLeft) parts_->workspaces.put(std::move(workspace));
  return encoding;
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  return with_workspace(
      [&](Workspace& workspace, Encoding& encoding) { encode_into(text, options, workspace, encoding); });
}

Encoding Tokenizer::encode_pair(std::string_view first, std::string_view second, const EncodeOptions& options) const {
  return with_workspace(
      [&](Workspace& workspace, Encoding& encoding) { encode_pair_into(first, second, options, workspace, encoding); });
}

Encoding Tokenizer::encode_words(std::span<const std::string> words, const EncodeOptions& options) const {
  return with_workspace(
      [&](Workspace& workspace, Encoding& encoding) { encode_words_into(words, options, workspace, encoding); });
}

void Tokenizer::release_workspaces() const {
  parts_->workspaces.clear();
}

DividedText Tokenizer::divide(std::string_view text, const WindowLimits& limits) const {
  return {parts_->settings.templates.single, parts_->tokens(text), std::nullopt, limits};
}

DividedText Tokenizer::divide_pair(std::string_view first, std::string_view second, const WindowLimits& limits) const {
  return {parts_->settings.templates.pair, parts_->tokens(first), parts_->tokens(second), limits};
}

DividedText Tokenizer::divide_words(std::span<const std::string> words, const WindowLimits& limits) const {
  return {parts_->settings.templates.single, parts_->tokens(words), std::nullopt, limits};
}

std::string Tokenizer::decode(std::span<const int32_t> ids, SpecialTokens special_tokens) const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ids.size());
  for (const int32_t id : ids) {
    std::optional<std::string_view> token;
    if (const auto added = parts_->added.find(id); added != parts_->added.end()) {
      token = added->second->normal_form;
    } else {
      token = parts_->settings.vocabulary.token(id);
    }
    if (!token || (special_tokens == SpecialTokens::omit && parts_->special_contents.contains(*token))) continue;
    tokens.push_back(*token);
  }
  std::string text = join(tokens);
  if (parts_->settings.cleans_up_decoded) clean_up_spaces(text);
  return text;
}

std::string Tokenizer::join(const std::vector<std::string_view>& tokens) const {
  return decode_tokens(tokens, parts_->settings.decoder);
}

std::string_view Tokenizer::token(int32_t id) const {
  if (const auto added = parts_->added.find(id); added != parts_->added.end()) return added->second->content;
  return parts_->settings.vocabulary.token(id).value_or(std::string_view());
}

std::optional<int32_t> Tokenizer::id(std::string_view token) const {
  return parts_->id(token);
}

size_t Tokenizer::vocabulary_size() const {
  return parts_->size;
}

std::optional<size_t> Tokenizer::model_max_length() const {
  return parts_->settings.model_max_length;
}

std::optional<int32_t> Tokenizer::pad_id() const {
  return parts_->ids.pad;
}
std::optional<int32_t> Tokenizer::unk_id() const {
  return parts_->ids.unk;
}
std::optional<int32_t> Tokenizer::cls_id() const {
  return parts_->ids.cls;
}
std::optional<int32_t> Tokenizer::sep_id() const {
  return parts_->ids.sep;
}
std::optional<int32_t> Tokenizer::mask_id() const {
  return parts_->ids.mask;
}

size_t Tokenizer::special_tokens_around_text() const {
  return parts_->settings.templates.single.special_tokens();
}

const NormalizerSettings& Tokenizer::normalizer() const {
  return parts_->settings.normalizer;
}

std::string_view Tokenizer::continuing_prefix() const {
  return parts_->settings.word_piece.continuing_subword_prefix;
}

std::span<const std::string> Tokenizer::notices() const {
  return parts_->settings.notices;
}

std::string_view Tokenizer::class_name() const {
  return parts_->settings.class_name;
}

const std::optional<std::string>& Tokenizer::difference() const {
  return parts_->settings.difference;
}

}  // namespace summand::text
