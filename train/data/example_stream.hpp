#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/data/examples.hpp"
#include "train/data/token_file.hpp"

namespace summand::train {

/// Position in a stream of examples: everything needed to continue.
struct StreamPlace {
  uint64_t epoch = 0;
  uint64_t document = 0;  ///< in the epoch's order: the first document of the current examples
  uint64_t example = 0;   ///< index among these examples

  bool operator==(const StreamPlace&) const = default;
};

/// All examples of a token file, epoch after epoch, each epoch cut and shuffled anew. Documents come in random order,
/// and the examples of the next ones, about kShuffled, are shuffled: a smaller corpus is shuffled completely, and
/// memory does not grow with a larger one.
class ExampleStream {
 public:
  static constexpr size_t kShuffled = size_t{1} << 16;

  /// @param file  outlives this object
  ExampleStream(const TokenFile& file, const ExampleRules& rules, uint64_t seed, StreamPlace place = {});

  /// The next example, until advance().
  [[nodiscard]] const Example& current() const { return examples_[place_.example]; }
  void advance();
  [[nodiscard]] const StreamPlace& place() const { return place_; }

 private:
  /// Cuts documents from the current position and shuffles their examples; after an epoch the next begins.
  void fill();

  const TokenFile& file_;
  ExampleRules rules_;
  uint64_t seed_;
  StreamPlace place_;
  uint64_t next_document_ = 0;
  std::vector<Example> examples_;
};

}  // namespace summand::train
