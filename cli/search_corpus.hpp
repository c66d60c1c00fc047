#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "api/search/search.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"

namespace summand::cli {

/// Options for the corpus of a search.
struct CorpusOptions {
  std::string path;                    ///< a .npy file of vectors, or texts
  std::string format;                  ///< for texts: see InputOptions
  std::string field;                   ///< for texts: their key or column; empty: `text`
  std::string texts;                   ///< for vectors: the file of their texts, or empty
  std::string invalid_utf8 = "error";  ///< for texts: see InputOptions
};

/// Label of a row of the corpus.
struct CorpusLabel {
  std::optional<std::string> text;
  std::optional<nlohmann::ordered_json> id;
};
using CorpusLabels = std::map<size_t, CorpusLabel>;

/// The vectors to search: a mapped file, or texts that are embedded in portions and not kept. Texts and ids of the hits
/// are read in a second pass, so that memory holds only vectors.
class SearchCorpus {
 public:
  /// @throws UsageError or Error if the corpus cannot be read or is empty
  SearchCorpus(const CorpusOptions& options, const api::Embedder& embedder);

  [[nodiscard]] size_t rows() const { return rows_; }
  /// Counts of the corpus's texts; nothing for a file of vectors.
  [[nodiscard]] const api::ReadCount& count() const { return count_; }
  /// How the file's numbers were converted, if they were.
  [[nodiscard]] std::optional<std::string> notice() const;

  void add_to(api::Search& search) const;

  /// Texts and ids, if there are any.
  /// @throws TextError if there are not as many as vectors
  [[nodiscard]] CorpusLabels labels(const std::set<size_t>& rows) const;

 private:
  void embed_texts(const api::Embedder& embedder);
  void read_texts(const std::set<size_t>& rows, CorpusLabels& labels) const;
  void read_ids(const std::set<size_t>& rows, CorpusLabels& labels) const;

  InputOptions texts_;               // empty if there are none
  std::string ids_;                  // likewise
  mutable bool texts_read_ = false;  // for labels
  std::optional<api::StoredVectors> file_;
  std::vector<Matrix<float>> embedded_;
  size_t rows_ = 0;
  api::ReadCount count_;
};

}  // namespace summand::cli
