#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "api/sequences/sequence_results.hpp"
#include "serve/routes/call.hpp"
#include "serve/routes/input.hpp"
#include "serve/routes/refused.hpp"

namespace summand::serve {

/// How the texts of a request become sequences.
struct Reading {
  std::string field;  ///< that they stand in, for messages
  /// Where an item stands, if not in field[item], or in the field itself where it is alone.
  std::function<std::string(size_t item)> place = {};
  std::string prompt = {};  ///< before every text
  size_t limit = 0;         ///< tokens of a sequence
  bool truncate = true;     ///< else a longer one is refused
  text::Truncation direction = text::Truncation::longest_first;
  std::optional<WindowOptions> windows = {};  ///< divide a longer one into windows of `limit` tokens instead
  bool refuse_empty = true;                   ///< texts without a token of their own
  bool item_faults = false;                   ///< whether an item that is refused leaves the others be
};

/// An item that was refused.
struct ItemFault {
  size_t item = 0;
  Refused refused;
};

/// A request's sequences.
struct Sequences {
  std::vector<api::Sequence> sequences;  ///< of the items that were not refused: one each, or its windows
  std::vector<size_t> items;             ///< [sequences], of which item each is, ascending
  std::vector<ItemFault> faults;         ///< in order
  size_t characters = 0;
  size_t tokens = 0;
  size_t truncated = 0;  ///< items that lost a token
};

/// Encodes the items, and tells the call its size.
/// @throws Refused for the first item that cannot be used, unless reading.item_faults; or as Call::require_texts,
/// charge
[[nodiscard]] Sequences make_sequences(Call& call, const api::LoadedModel& model, const std::vector<InputItem>& items,
                                       const Reading& reading);

/// Reads `truncate` and `truncation_direction`, which cuts also what would be divided.
/// @param auto_truncate  what a body without `truncate` means
void read_truncation(Body& body, bool auto_truncate, Reading& reading);

/// How the training of a classifier read its texts, unless the call's body says otherwise.
[[nodiscard]] Reading head_reading(Call& call, const api::LoadedModel& model, model::Head head, const char* field);

}  // namespace summand::serve
