#include "model/batch.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/error.hpp"

namespace summand::model {

namespace {

void check_range(const Batch& batch, std::span<const int32_t> values, int64_t limit, std::string_view what) {
  for (size_t text = 0; text < batch.texts(); ++text) {
    for (size_t token = batch.offsets[text]; token < batch.offsets[text + 1]; ++token) {
      if (values[token] < 0 || values[token] >= limit) {
        throw TextError("batch", fmt::format("text {}, token {}: expected a {} below {}, got {}", text,
                                             token - batch.offsets[text], what, limit, values[token]));
      }
    }
  }
}

}  // namespace

void Batch::add(std::span<const int32_t> text_ids, std::span<const int32_t> text_segments, int32_t first_position) {
  ids.insert(ids.end(), text_ids.begin(), text_ids.end());
  segments.insert(segments.end(), text_segments.begin(), text_segments.end());
  for (size_t i = 0; i < text_ids.size(); ++i) positions.push_back(first_position + static_cast<int32_t>(i));
  offsets.push_back(ids.size());
}

Batch Batch::part(size_t begin, size_t end) const {
  const auto rows = [&](const std::vector<int32_t>& values) {
    const auto first = values.begin();
    return std::vector<int32_t>(first + static_cast<std::ptrdiff_t>(offsets[begin]),
                                first + static_cast<std::ptrdiff_t>(offsets[end]));
  };
  Batch result{.ids = rows(ids), .segments = rows(segments), .positions = rows(positions), .offsets = {}};
  for (size_t text = begin; text <= end; ++text) result.offsets.push_back(offsets[text] - offsets[begin]);
  return result;
}

size_t Batch::part_end(size_t begin, size_t most_tokens) const {
  size_t end = begin + 1;
  while (end < texts() && offsets[end + 1] - offsets[begin] <= most_tokens) ++end;
  return end;
}

void check(const Batch& batch, const Config& config) {
  const auto& offsets = batch.offsets;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != batch.tokens() ||
      batch.segments.size() != batch.tokens() || batch.positions.size() != batch.tokens()) {
    throw TextError("batch", fmt::format("{} ids, {} segments, {} positions and the offsets do not fit each other",
                                         batch.ids.size(), batch.segments.size(), batch.positions.size()));
  }
  for (size_t text = 0; text < batch.texts(); ++text) {
    if (offsets[text + 1] < offsets[text]) throw TextError("batch", fmt::format("offsets fall at text {}", text));
  }
  check_range(batch, batch.ids, config.vocab_size, "token id");
  check_range(batch, batch.segments, config.type_vocab_size, "segment");
  check_range(batch, batch.positions, config.max_position_embeddings, "position");
}

}  // namespace summand::model
