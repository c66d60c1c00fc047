#include "train/data/write_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/thread_pool.hpp"
#include "io/output_directory.hpp"
#include "io/output_file.hpp"
#include "train/data/token_file.hpp"
#include "train/data/white_space.hpp"

namespace summand::train {

namespace {

constexpr size_t kBytesAtATime = size_t{1} << 22;  // of texts: enough to share out among threads

/// A file that knows the hash of what was written to it.
class HashedFile {
 public:
  HashedFile(const std::filesystem::path& folder, std::string_view name) : file_(folder / name), name_(name) {}

  template <class Number>
  void write(std::span<const Number> numbers) {
    const auto bytes = std::as_bytes(numbers);
    hash_.add_bytes(bytes);
    file_.write(bytes);
  }
  /// Lets the file appear, and notes its hash.
  void finish(nlohmann::ordered_json& index) {
    file_.commit();
    index[std::string(name_) + "_hash"] = fmt::format("{:016x}", hash_.value());
  }

 private:
  io::OutputFile file_;
  std::string_view name_;
  Hash hash_;
};

/// A document's tokens.
struct TokenizedDocument {
  std::vector<int32_t> ids;
  std::vector<uint8_t> follows_space;  ///< [ids]
  std::vector<size_t> sentence_ends;   ///< in tokens of the document
};

/// Room of one thread.
struct Room {
  text::Tokenizer::Workspace workspace;
  text::Encoding encoding;
};

TokenizedDocument tokenized(const Document& document, const text::Tokenizer& tokenizer, Room& room) {
  TokenizedDocument result;
  for (const std::string& sentence : document) {
    tokenizer.encode_into(sentence, {.special_tokens = text::SpecialTokens::omit}, room.workspace, room.encoding);
    const auto& encoding = room.encoding;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      result.ids.push_back(encoding.ids[i]);
      // Between two tokens there may also be a character that the normaliser removes.
      const size_t before = i == 0 ? 0 : encoding.offsets[i - 1].end;
      const size_t begin = std::max<size_t>(before, encoding.offsets[i].begin);
      const std::string_view between = std::string_view(sentence).substr(before, begin - before);
      result.follows_space.push_back(i == 0 || has_white_space(between) ? 1 : 0);
    }
    result.sentence_ends.push_back(result.ids.size());
  }
  return result;
}

/// The folder's files while they are written.
class Writing {
 public:
  Writing(const std::filesystem::path& folder, const text::Tokenizer& tokenizer)
      : id_bytes_(tokenizer.vocabulary_size() <= size_t{std::numeric_limits<uint16_t>::max()} + 1 ? 2 : 4),
        unknown_(tokenizer.unk_id().value_or(-1)),
        folder_(folder),
        ids_(folder, kTokenIds),
        spaces_(folder, kSpaceBits),
        sentences_(folder, kSentenceEnds),
        documents_(folder, kDocumentEnds) {}

  void append(const TokenizedDocument& document) {
    if (document.ids.empty()) return;
    if (id_bytes_ == 2) {
      const std::vector<uint16_t> narrow(document.ids.begin(), document.ids.end());
      ids_.write(std::span<const uint16_t>(narrow));
    } else {
      ids_.write(std::span<const int32_t>(document.ids));
    }
    append_bits(document.follows_space);
    std::vector<uint64_t> ends;
    for (const size_t end : document.sentence_ends) {
      if (end > (ends.empty() ? 0 : ends.back() - counts_.tokens)) ends.push_back(counts_.tokens + end);
    }
    sentences_.write(std::span<const uint64_t>(ends));
    counts_.sentences += ends.size();
    counts_.tokens += document.ids.size();
    ++counts_.documents;
    documents_.write(std::span<const uint64_t>(&counts_.sentences, 1));
    for (const int32_t id : document.ids) counts_.unknown += id == unknown_ ? 1 : 0;
  }

  [[nodiscard]] const TokenCounts& counts() const { return counts_; }

  void finish(const std::string& source) {
    if (bits_ % 8 != 0) spaces_.write(std::span<const uint8_t>(&byte_, 1));
    nlohmann::ordered_json index{{"version", kTokenFileVersion},
                                 {"id_bytes", id_bytes_},
                                 {"tokens", counts_.tokens},
                                 {"sentences", counts_.sentences},
                                 {"documents", counts_.documents},
                                 {"unknown", counts_.unknown},
                                 {"source", source}};
    for (HashedFile* file : {&ids_, &spaces_, &sentences_, &documents_}) file->finish(index);
    io::OutputFile file(folder_ / kTokenIndex);
    file.write(index.dump(1) + "\n");
    file.commit();
  }

 private:
  void append_bits(std::span<const uint8_t> bits) {
    std::vector<uint8_t> bytes;
    for (const uint8_t bit : bits) {
      byte_ = static_cast<uint8_t>(byte_ | bit << (bits_ % 8));
      if (++bits_ % 8 != 0) continue;
      bytes.push_back(byte_);
      byte_ = 0;
    }
    spaces_.write(std::span<const uint8_t>(bytes));
  }

  size_t id_bytes_;
  int32_t unknown_;
  std::filesystem::path folder_;
  HashedFile ids_, spaces_, sentences_, documents_;
  TokenCounts counts_;
  uint8_t byte_ = 0;  // bits that do not make a byte yet
  uint64_t bits_ = 0;
};

}  // namespace

TokenCounts write_tokens(DocumentReader& documents, const text::Tokenizer& tokenizer,
                         const std::filesystem::path& folder, const std::string& source, int threads,
                         const std::function<void(const TokenCounts&)>& on_step) {
  io::OutputDirectory directory(folder);
  Writing writing(directory.path(), tokenizer);
  std::vector<Room> rooms(static_cast<size_t>(threads));
  std::vector<Document> some;
  size_t bytes = 0;
  const auto write_some = [&] {
    std::vector<TokenizedDocument> results(some.size());
    ThreadPool::shared().run(some.size(), threads, [&](size_t i, int participant) {
      results[i] = tokenized(some[i], tokenizer, rooms[static_cast<size_t>(participant)]);
    });
    for (const auto& result : results) writing.append(result);
    some.clear();
    bytes = 0;
    if (on_step) on_step(writing.counts());
  };
  while (auto document = documents.next()) {
    for (const std::string& sentence : *document) bytes += sentence.size();
    some.push_back(*std::move(document));
    if (bytes >= kBytesAtATime) write_some();
  }
  write_some();
  if (writing.counts().tokens == 0) throw TextError(documents.name(), "expected documents with tokens, got none");
  writing.finish(source);
  directory.commit();
  return writing.counts();
}

}  // namespace summand::train
