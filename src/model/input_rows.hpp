#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/batch.hpp"
#include "model/config.hpp"

namespace summand::model {

/// Which rows of the three tables belong to the tokens of one text: in BERT the ids, positions and segments themselves.
class InputRows {
 public:
  /// @param batch  that fits the configuration; must outlive this object
  InputRows(const Config& config, const Batch& batch, size_t text);

  [[nodiscard]] std::span<const int32_t> token() const { return own_token_.empty() ? token_ : own_token_; }
  [[nodiscard]] std::span<const int32_t> position() const { return own_position_.empty() ? position_ : own_position_; }
  [[nodiscard]] std::span<const int32_t> segment() const { return segment_; }

 private:
  std::span<const int32_t> token_, position_, segment_;
  std::vector<int32_t> own_token_, own_position_;  // where they are others
};

}  // namespace summand::model
