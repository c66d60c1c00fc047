#include "train/finetune/labelled/window_encoding.hpp"

#include <vector>

#include "model/window_bert.hpp"
#include "train/finetune/labelled/window_logits.hpp"
#include "train/network/autocast.hpp"
#include "train/network/window_network.hpp"

namespace summand::train {

namespace {

/// [places of all rows, hidden]
at::Tensor token_rows(const Network& network, const at::Tensor& vectors, std::span<const EncodedRow> rows,
                      std::span<const size_t> chosen) {
  const Placement& placement = network.parameters().placement();
  const Autocast exact(Precision::fp32, placement.device.type());
  std::vector<size_t> places;  // of means, then of vectors
  size_t window = chosen.size();
  for (size_t row = 0; row < chosen.size(); ++row) {
    places.push_back(row);
    for (size_t i = 0; i < rows[chosen[row]].texts_read(); ++i) places.push_back(window++);
  }
  const at::Tensor means = combine_windows(vectors, rows, chosen, {.pooling = WindowPooling::mean});
  return at::cat({means, vectors}).index_select(0, index_tensor(places, placement));
}

}  // namespace

size_t window_places(const EncodedRow& row) {
  return row.texts_read() + 1;
}

at::Tensor encoded_windows(const Network& network, const at::Tensor& vectors, std::span<const EncodedRow> rows,
                           std::span<const size_t> chosen, const Dropout* dropout) {
  std::vector<size_t> offsets{0};
  for (const size_t row : chosen) offsets.push_back(offsets.back() + rows[row].texts_read());
  const Network over_windows = window_network(network);
  const Pass pass =
      over_windows.run_rows(model::window_batch(offsets), token_rows(network, vectors, rows, chosen), dropout);
  return over_windows.logits(model::Head::sequence_classification, pass, {}, dropout);
}

}  // namespace summand::train
