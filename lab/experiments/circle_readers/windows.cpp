#include "lab/experiments/circle_readers/windows.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lab/nulls/position_parts.hpp"
#include "lab/probing/joined_texts.hpp"

namespace summand::lab::circle_readers {

Windows windows_of(const Subject& subject, size_t most, RandomStream& stream) {
  const auto all = texts_of_length(subject, 1, std::numeric_limits<size_t>::max());
  size_t total = 0;
  for (const size_t text : all) total += ordinary_tokens(subject, text).size();
  const Frame frame = frame_of(subject);
  const auto longest = static_cast<size_t>(std::min(subject.positions.rows(), kShortSequence));
  if (longest < kLeastWords + frame.size() || total < kLeastWindows * kLeastWords) return {};
  Windows windows{.front = frame.front.size(), .words = std::min(longest - frame.size(), total / kLeastWindows)};
  const size_t count = std::min(most, total / windows.words);
  const auto joined = joined_text(subject, all, count * windows.words, stream);
  for (size_t i = 0; i < count; ++i) {
    add_framed(windows.texts.batch, frame, std::span(joined.ids).subspan(i * windows.words, windows.words));
    const size_t length = windows.words + frame.size();
    windows.texts.text.insert(windows.texts.text.end(), length, i);
    for (size_t t = 0; t < length; ++t) {
      windows.texts.special.push_back(t < windows.front || t >= windows.front + windows.words);
    }
  }
  return windows;
}

Windows first_of(const Windows& windows, size_t count) {
  const auto& texts = windows.texts;
  const size_t tokens = texts.batch.offsets[count];
  Windows first{.front = windows.front, .words = windows.words};
  for (size_t i = 0; i < count; ++i) {
    const auto part = [&](const std::vector<int32_t>& of) {
      return std::span(of).subspan(texts.batch.offsets[i], texts.batch.length(i));
    };
    first.texts.batch.add(part(texts.batch.ids), part(texts.batch.segments));
  }
  first.texts.special.assign(texts.special.begin(), texts.special.begin() + static_cast<std::ptrdiff_t>(tokens));
  first.texts.text.assign(texts.text.begin(), texts.text.begin() + static_cast<std::ptrdiff_t>(tokens));
  return first;
}

}  // namespace summand::lab::circle_readers
