#include "train/network/text_pieces.hpp"

#include <algorithm>

namespace summand::train {

namespace {

/// Of a text of this length: products and passes over scores grow with its square, copies of rows with the length.
int64_t work_of(int64_t length) {
  return length * (length + 16);
}

}  // namespace

TextPieces::TextPieces(const PackedTexts& texts) : texts_(static_cast<int64_t>(texts.texts())) {
  std::vector<int64_t> before{0};  // a text, of one head
  for (size_t text = 0; text < texts.texts(); ++text) before.push_back(before.back() + work_of(texts.length(text)));
  const int64_t of_head = before.back();
  const auto pieces = std::clamp<int64_t>(at::get_num_threads(), 1, std::max<int64_t>(1, texts_ * texts.heads));
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t done = of_head * texts.heads / pieces * piece;
    const int64_t head = of_head == 0 ? 0 : done / of_head;
    const auto text = std::ranges::lower_bound(before, done - head * of_head) - before.begin();
    begins_.push_back(head * texts_ + text);
  }
  begins_.push_back(texts_ * texts.heads);
}

std::pair<int64_t, int64_t> TextPieces::heads(int64_t piece) const {
  const auto at = static_cast<size_t>(piece);
  return {begins_[at] / texts_, (begins_[at + 1] + texts_ - 1) / texts_};
}

}  // namespace summand::train
