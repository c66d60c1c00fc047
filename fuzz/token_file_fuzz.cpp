// Bytes as a folder of tokens. In its index a hash written as "*" is that of the file as it stands: what a hash of
// another file would refuse is reached too.
#include <fmt/format.h>

#include <array>

#include "base/hash.hpp"
#include "target.hpp"
#include "train/data/token_file.hpp"

using namespace summand;

namespace {

constexpr size_t kVocabulary = 300;
constexpr std::array<std::string_view, 5> kFiles{train::kTokenIndex, train::kTokenIds, train::kSpaceBits,
                                                 train::kSentenceEnds, train::kDocumentEnds};

/// `"NAME_hash": "*"`, filled.
std::string with_hashes(std::string_view index, const std::vector<fuzz::Part>& parts) {
  std::string text(index);
  for (const auto& part : parts) {
    const std::string open = fmt::format("\"{}_hash\": \"*\"", part.name);
    const size_t place = text.find(open);
    if (place == std::string::npos) continue;
    Hash hash;
    hash.add_bytes(std::as_bytes(std::span(part.content)));
    text.replace(place + open.size() - 2, 1, fmt::format("{:016x}", hash.value()));
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<fuzz::Part> parts = fuzz::parts_of(input, train::kTokenIndex);
  std::string index;
  for (fuzz::Part& part : parts) {
    if (part.name != train::kTokenIndex) continue;
    index = with_hashes(part.content, parts);
    part.content = index;
    break;
  }
  folder.fill(parts, kFiles);
  fuzz::accepts([&] {
    const auto file = train::TokenFile::open(folder.path(), kVocabulary);
    uint64_t sentence = 0;
    for (uint64_t document = 0; document < file.documents(); ++document) {
      fuzz::expect(file.document(document).begin == sentence, "documents follow one another");
      sentence = file.document(document).end;
    }
    fuzz::expect(sentence == file.sentences(), "documents have every sentence");
    uint64_t token = 0;
    for (; sentence > 0; --sentence) {
      const Range range = file.sentence(file.sentences() - sentence);
      fuzz::expect(range.begin == token && range.end > token, "sentences follow one another");
      for (; token < range.end; ++token) {
        fuzz::expect(file.id(token) >= 0 && file.id(token) < static_cast<int32_t>(kVocabulary), "ids are tokens");
        static_cast<void>(file.follows_space(token));
      }
    }
    fuzz::expect(token == file.tokens(), "sentences have every token");
  });
  return 0;
}
