#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/data/examples.hpp"
#include "train/data/token_file.hpp"

namespace summand::train {

/// Where a stream of examples is: all that it takes to go on there.
struct StreamPlace {
  uint64_t epoch = 0;
  uint64_t document = 0;  ///< of the epoch's order: the first of those whose examples are at hand
  uint64_t example = 0;   ///< of these

  bool operator==(const StreamPlace&) const = default;
};

/// All examples of a token file, epoch after epoch, each in an order of its own, cut anew each time. Documents come in
/// any order, and the examples of as many of them as make kShuffled are mixed: a corpus that has fewer is mixed whole,
/// and memory does not grow with a larger one.
class ExampleStream {
 public:
  static constexpr size_t kShuffled = size_t{1} << 16;

  /// @param file  outlives this object
  ExampleStream(const TokenFile& file, const ExampleRules& rules, uint64_t seed, StreamPlace place = {});

  /// The next one; it stays so until advance().
  [[nodiscard]] const Example& current() const { return examples_[place_.example]; }
  void advance();
  [[nodiscard]] const StreamPlace& place() const { return place_; }

 private:
  /// Cuts documents from the place's on, and mixes their examples; at the end of an epoch the next begins.
  void fill();

  const TokenFile& file_;
  ExampleRules rules_;
  uint64_t seed_;
  StreamPlace place_;
  uint64_t next_document_ = 0;
  std::vector<Example> examples_;
};

}  // namespace summand::train
