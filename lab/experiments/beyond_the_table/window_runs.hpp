#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/experiment.hpp"
#include "lab/probing/joined_texts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

inline constexpr size_t kBlocksOfTable = 4;  ///< windows are a quarter of it
/// Su's shares of the coarse part, in percent; his own is the middle one.
inline constexpr std::array kHierarchicalPercents{20, 40, 60};

/// Rows for positions that the table does not have.
struct LongerTable {
  std::string name;
  chart::Series series;
  Table rows;
};

/// Every way of making rows beyond the table, then its own rows in random order, then noise: the two nulls. No rows.
[[nodiscard]] std::vector<LongerTable> ways_beyond();

/// The last row of the table that is like its neighbours.
[[nodiscard]] size_t last_ordinary_row(const Table& table);

/// The same with their rows, the first of them the table's; stretched rows are not.
[[nodiscard]] std::vector<LongerTable> longer_tables(const Table& table, size_t rows, uint64_t seed);
inline constexpr size_t kNullTables = 2;

/// Neighbouring tokens of a long text: of one block, as many tokens as a quarter of the table has positions.
struct Window {
  size_t text = 0;
  size_t block = 0;
  size_t begin = 0;  ///< ordinary tokens of the text, from `begin` to before `end`
  size_t end = 0;
};

/// Long texts, cut into windows.
struct LongTexts {
  Frame frame;
  std::vector<std::vector<int32_t>> ids;     ///< [texts], each as many ordinary tokens as fit into the longer table
  std::vector<std::vector<int32_t>> masked;  ///< the same, some of them masked; none without a masked-language head
  size_t positions = 0;                      ///< of the table
  size_t width = 0;                          ///< of a block, in tokens
  std::vector<Window> windows;
};

struct LongTextsChoice {
  size_t texts = 1;
  size_t length = 0;       ///< tokens, the frame counted
  size_t first_block = 0;  ///< of windows
  std::string name;        ///< of their draws
};

/// @pre there is a model, and the corpus has a text that is not empty
[[nodiscard]] LongTexts long_texts(const Subject& subject, const LongTextsChoice& choice, uint64_t seed);

/// What became of each window: [windows] each; the last two have no value without a masked-language head.
struct WindowScores {
  std::vector<double> tokens;  ///< mean cosine of its tokens' last vectors with those of WindowsInTable
  std::vector<double> means;   ///< cosine of the mean vectors
  std::vector<double> losses;  ///< mean over the masked tokens, nats
  std::vector<double> right;   ///< of them, the share predicted
};

/// What a window is run with, and where.
enum class Surroundings {
  whole_text,    ///< all of its long text
  own_place,     ///< the half table of tokens that ends with it, at their positions in the long text
  within_table,  ///< the same tokens; those beyond the table at places spread evenly over it
};

/// At so many places within the table windows are read for what others are compared with: no one place is the measure,
/// or a way that puts a window at that very place would win by it.
inline constexpr size_t kReferencePlaces = 2;

/// The windows' last vectors, the half table of tokens that ends with each read at places within the table: the mean
/// over places.
class WindowsInTable {
 public:
  /// @param texts  outlive this
  WindowsInTable(const engine::Engine& engine, const LongTexts& texts);

  /// @param first_block  windows of earlier blocks take their scores from `before`, which has them
  [[nodiscard]] WindowScores scores(const engine::Engine& engine, Surroundings surroundings, size_t first_block = 0,
                                    const WindowScores& before = {}) const;

 private:
  void compare(size_t window, const Table& states, WindowScores& scores) const;

  const LongTexts* texts_;
  Vector common_;              ///< [hidden], mean over all windows' tokens: every cosine is of vectors less it
  std::vector<Table> states_;  ///< [windows] of [tokens, hidden], less `common_`
};

}  // namespace summand::lab
