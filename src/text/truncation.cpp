#include "text/truncation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::text {

namespace {

constexpr std::string_view kWhere = "truncation";

// Of two texts that both are too long, the second gets the odd token, or the first if it was the longer one.
CutLengths longest_first(const TextLengths& lengths, size_t room) {
  if (!lengths.second) return {room, 0};
  size_t small = std::min(lengths.first, *lengths.second);
  size_t large = room - std::min(small, room);
  if (small > large) {
    small = room / 2;
    large = room - small;
  }
  return lengths.first > *lengths.second ? CutLengths{large, small} : CutLengths{small, large};
}

// Cuts one of the texts and leaves the other whole; at least one token has to stay.
size_t only(size_t target, size_t other, size_t room, std::string_view name) {
  if (other < room) return std::min(target, room - other);
  throw TextError(kWhere, fmt::format("only_{}: expected a text of more than {} tokens to cut, got {}", name,
                                      target + other - room, target));
}

}  // namespace

CutLengths cut_lengths(Truncation truncation, const TextLengths& lengths, size_t room, size_t special) {
  const size_t second = lengths.second.value_or(0);
  const size_t total = lengths.first + second;
  if (total <= room) return {lengths.first, second};
  if (truncation == Truncation::none) {
    throw TextError(kWhere, fmt::format("none: expected at most {} tokens, got {}", room + special, total + special));
  }
  if (room == 0) return {0, 0};
  switch (truncation) {
    case Truncation::longest_first:
    case Truncation::head_tail:
    case Truncation::tail:
    case Truncation::head:
      return longest_first(lengths, room);
    case Truncation::only_first:
      return {only(lengths.first, second, room, "first"), second};
    case Truncation::only_second:
      if (!lengths.second) {
        throw TextError(kWhere,
                        fmt::format("only_second: expected a second text to cut to {} tokens, got one text of {}",
                                    room + special, total + special));
      }
      return {lengths.first, only(second, lengths.first, room, "second")};
    case Truncation::none:
      break;
  }
  return {lengths.first, second};
}

bool keeps_end(Truncation truncation, TruncationSide side) {
  switch (truncation) {
    case Truncation::tail:
      return true;
    case Truncation::head:
    case Truncation::head_tail:
      return false;
    case Truncation::longest_first:
    case Truncation::only_first:
    case Truncation::only_second:
    case Truncation::none:
      return side == TruncationSide::beginning;
  }
  __builtin_unreachable();
}

size_t head_length(size_t room) {
  return room * 128 / 510;
}

}  // namespace summand::text
