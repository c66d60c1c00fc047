#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

// What a file asks for. Every list of names stands in the order of its enum.
namespace summand::lab::own {

enum class Part { token, position, segment };
inline constexpr std::array kParts{"token", "position", "segment"};

enum class ChangeKind { mean, zero, shuffle, reverse, scale, keep_components, drop_components };
inline constexpr std::array kPlainChanges{"mean", "zero", "shuffle", "reverse"};
inline constexpr std::array kChangesWithNumber{"scale", "keep_components", "drop_components"};

enum class ReadoutKind { sentence_vector, hidden_states, attention, masked_language, retrieval };
inline constexpr std::array kReadouts{"sentence_vector", "hidden_states", "attention", "masked_language", "retrieval"};

enum class NullKind { random_directions, shuffled, one_word };
inline constexpr std::array kNulls{"random_directions", "shuffled", "one_word"};

/// What is done to the rows of a table.
struct Change {
  ChangeKind kind = ChangeKind::mean;
  double number = 0;  ///< a strength, or how many components; of no other kind
};

/// Both included.
struct RowRange {
  size_t first = 0;
  size_t last = 0;
};

inline constexpr size_t kLeastRepetitions = 10;
inline constexpr size_t kMostRepetitions = 1000;

/// An experiment of somebody's own.
struct Setup {
  std::string where;    ///< the file's name, for messages
  std::string content;  ///< of the file
  std::string name;     ///< small letters, digits and hyphens
  std::string title;
  Part part = Part::position;
  Change change;
  std::optional<RowRange> rows;  ///< absent: all that a text may reach
  ReadoutKind readout = ReadoutKind::sentence_vector;
  NullKind null = NullKind::random_directions;
  size_t repetitions = 30;
};

}  // namespace summand::lab::own
