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
#include "api/stored/stored_vectors.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"

namespace summand::cli {

/// Where a search looks.
struct CorpusOptions {
  std::string path;                    ///< a .npy file of vectors, or texts
  std::string format;                  ///< of texts, as of InputOptions
  std::string field;                   ///< of texts, the key or column that holds them; empty: `text`
  std::string texts;                   ///< of vectors, or empty
  std::string invalid_utf8 = "error";  ///< of texts, as of InputOptions
};

/// What is shown of a row of the corpus.
struct CorpusLabel {
  std::optional<std::string> text;
  std::optional<nlohmann::ordered_json> id;
};
using CorpusLabels = std::map<size_t, CorpusLabel>;

/// Vectors to search in: a mapped file's, or those of texts, which are embedded some at a time and not kept. Texts and
/// ids are read again for the rows that are found, so that memory holds vectors alone.
class SearchCorpus {
 public:
  /// @throws UsageError or Error of what cannot be read, or is empty
  SearchCorpus(const CorpusOptions& options, const api::Embedder& embedder);

  [[nodiscard]] size_t rows() const { return rows_; }
  /// Of the corpus's texts; nothing of vectors from a file.
  [[nodiscard]] const api::ReadCount& count() const { return count_; }
  /// What was done to the numbers of the file, if they could not stay as they were.
  [[nodiscard]] std::optional<std::string> notice() const;

  void add_to(api::Search& search) const;

  /// Texts and ids, where there are any.
  /// @throws TextError if there are not as many as vectors
  [[nodiscard]] CorpusLabels labels(const std::set<size_t>& rows) const;

 private:
  void embed_texts(const api::Embedder& embedder);
  void read_texts(const std::set<size_t>& rows, CorpusLabels& labels) const;
  void read_ids(const std::set<size_t>& rows, CorpusLabels& labels) const;

  InputOptions texts_;               // empty where there are none
  std::string ids_;                  // likewise
  mutable bool texts_read_ = false;  // for labels
  std::optional<api::StoredVectors> file_;
  std::vector<Matrix<float>> embedded_;
  size_t rows_ = 0;
  api::ReadCount count_;
};

}  // namespace summand::cli
