#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/joined_texts.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What stands for a document that is longer than a limit.
enum class Treatment {
  head,       ///< its first tokens
  tail,       ///< its last
  head_tail,  ///< its first quarter of the limit and its last three
  windows,    ///< half-overlapping windows, the mean of their vectors
  one_pass,   ///< all of it at once
};
inline constexpr std::array kTreatments{Treatment::head, Treatment::tail, Treatment::head_tail, Treatment::windows,
                                        Treatment::one_pass};
inline constexpr std::array kCuts{Treatment::head, Treatment::tail, Treatment::head_tail};

/// Its key in results.json: "head_tail".
[[nodiscard]] std::string name_of(Treatment treatment);
[[nodiscard]] LocalizedText words_of(Treatment treatment);

/// Tokens [begin, end) of a document.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;

  bool operator==(const Stretch&) const = default;
};

/// The pieces that a treatment reads; two of one text for head_tail, else each a text of its own.
/// @param room  ordinary tokens that fit into the limit
[[nodiscard]] std::vector<Stretch> stretches_of(Treatment treatment, size_t tokens, size_t room);

/// Where in its document a sentence lies, by its middle.
enum class Part { begin, middle, end };
inline constexpr std::array kDocumentParts{Part::begin, Part::middle, Part::end};

/// A sentence of a document.
struct Place {
  size_t document = 0;
  size_t sentence = 0;  ///< its number in the corpus
  Part part = Part::begin;
  bool beyond_head = false;  ///< no token of it is among those that Treatment::head reads
};

/// Documents, and the vectors that the treatments make of them; all vectors of length 1.
struct Documents {
  std::vector<Place> places;
  std::vector<std::vector<size_t>> sentences;     ///< [documents], ascending, by their numbers in the corpus
  std::array<Table, kTreatments.size()> vectors;  ///< each [documents, hidden]
  Table contents;                                 ///< [documents, hidden], the mean of their sentences' vectors
};

struct DocumentsChoice {
  size_t count = 1;
  size_t tokens = 0;  ///< each document has at least so many
  size_t room = 0;    ///< ordinary tokens that the limit leaves
  std::string name;   ///< of their draws
  uint64_t seed = 0;
};

/// Reads documents made of the corpus' texts.
class DocumentReader {
 public:
  /// @param among  texts that are joined: together more than any document
  DocumentReader(const Subject& subject, std::vector<size_t> among, int threads);

  [[nodiscard]] size_t tokens() const { return tokens_; }  ///< of all texts
  /// @param one_pass  of Treatment::one_pass; the other treatments run on the model as it is
  [[nodiscard]] Documents read(const DocumentsChoice& choice, const engine::Engine& one_pass) const;
  [[nodiscard]] const engine::Engine& engine() const { return engine_; }
  /// [corpus texts, hidden], of length 1; rows of texts that are not joined are 0.
  [[nodiscard]] const Table& sentences() const { return sentences_; }

 private:
  [[nodiscard]] Vector vector_of(const engine::Engine& engine, std::span<const int32_t> ids) const;
  [[nodiscard]] Vector treated(Treatment treatment, std::span<const int32_t> ids, size_t room,
                               const engine::Engine& one_pass) const;
  void add_document(const JoinedText& document, size_t room, Documents& documents) const;

  const Subject* subject_;
  std::vector<size_t> among_;
  engine::Engine engine_;
  Frame frame_;
  SentenceVector kind_;
  Table sentences_;
  size_t tokens_ = 0;
};

/// Every document's cosine of its vector with the mean of its sentences' vectors, each less its mean over documents:
/// what all documents have in common tells nothing of one.
[[nodiscard]] std::vector<double> contents_kept(const Table& vectors, const Documents& documents);

/// Which sentences are looked for: all, or those of one part, or those beyond the head.
struct Sought {
  std::optional<Part> part = {};
  bool beyond_head = false;
};

/// Of each sentence of the corpus: how often it lies nearer to a document with it than to one without, over all such
/// pairs of documents; NaN where there is none. Documents share sentences, and sentences are what they are made of:
/// only of these there are independent ones. A document whose row is another's is never set against that other's own
/// sentences.
/// @param own  row of `vectors` that stands for each document; in order, or exchanged for a null
/// @return [corpus texts]
[[nodiscard]] std::vector<double> found(const Table& vectors, const Documents& documents, const Table& sentences,
                                        const std::vector<size_t>& own, const Sought& sought);

}  // namespace summand::lab
