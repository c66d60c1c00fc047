#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/subject.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// Words of a small model's vocabulary, behind its five special tokens; the word of number i is small_word(i).
inline constexpr size_t kSmallWords = 208;
/// Of the token table: [PAD], [UNK], [CLS], [SEP], [MASK].
inline constexpr size_t kSpecialTokens = 5;

/// Two letters. @pre number < 26 * 26
[[nodiscard]] std::string small_word(size_t number);

/// A text of a small model's corpus, or a pair of texts: numbers of words.
struct SmallText {
  std::vector<size_t> first;
  std::vector<size_t> second = {};  ///< empty where the text stands alone
};

struct SmallSizes {
  int64_t hidden = 32;
  int64_t heads = 4;
  int64_t intermediate = 64;
  int64_t layers = 2;
  int64_t positions = 64;
  int64_t segments = 2;
  int64_t words = kSmallWords;
  model::ModelParts parts = {};
};

/// A small BERT whose parameters are drawn, and changed so that something is true of it: for calibration and tests.
class SmallModel {
 public:
  /// Matrices of the encoder are normal with standard deviation 1/√in, so that nothing fades or explodes, tables with
  /// 0.3, biases with 0.1; normalisation weights are 1.
  SmallModel(const SmallSizes& sizes, RandomStream& stream);

  [[nodiscard]] model::Config& config() { return config_; }

  /// One tensor, in double precision; of one dimension as a single row.
  [[nodiscard]] Table table(const std::string& name) const;
  /// @pre as many elements as the tensor has
  void put(const std::string& name, const Table& table);
  /// Every tensor whose name ends so. @pre there is one
  void change(std::string_view ending, const std::function<void(Table&)>& how);

  [[nodiscard]] Table tokens() const { return table(kTokenTable); }
  [[nodiscard]] Table positions() const { return table(kPositionTable); }
  [[nodiscard]] Table segments() const { return table(kSegmentTable); }
  void put_tokens(const Table& table) { put(kTokenTable, table); }
  void put_positions(const Table& table) { put(kPositionTable, table); }
  void put_segments(const Table& table) { put(kSegmentTable, table); }

  /// The model, loaded from a folder that is gone again, with a corpus of its own words.
  /// @throws IoError if the system's folder of temporary files cannot be written to
  [[nodiscard]] Subject subject(const std::vector<SmallText>& corpus) const;

 private:
  model::Config config_;
  model::Weights weights_;
};

/// How many texts, and of how many words each.
struct SmallCorpus {
  size_t texts = 40;
  size_t shortest = 6;
  size_t longest = 17;
  size_t words = kSmallWords;  ///< that are drawn from
};

/// Words in random order, every third text a pair.
[[nodiscard]] std::vector<SmallText> random_texts(const SmallCorpus& sizes, RandomStream& stream);

/// Each text has five words of its own, which turn up again and again in both of its halves. @param texts  at most 41
[[nodiscard]] std::vector<SmallText> topic_texts(size_t texts, size_t length, RandomStream& stream);

}  // namespace summand::lab
