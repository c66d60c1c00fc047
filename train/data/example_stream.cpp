#include "train/data/example_stream.hpp"

#include <fmt/format.h>

#include <span>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "train/data/permutation.hpp"

namespace summand::train {

ExampleStream::ExampleStream(const TokenFile& file, const ExampleRules& rules, uint64_t seed, StreamPlace place)
    : file_(file), rules_(rules), seed_(seed), place_(place), next_document_(place.document) {
  if (place.document > file.documents()) {
    throw TextError("texts",
                    fmt::format("expected to go on at a document up to {}, got {}", file.documents(), place.document));
  }
  fill();
  if (place_.example >= examples_.size()) {
    throw TextError("texts",
                    fmt::format("expected to go on at a sequence below {}, got {}", examples_.size(), place_.example));
  }
}

void ExampleStream::advance() {
  ++place_.example;
  if (place_.example < examples_.size()) return;
  place_.document = next_document_;
  place_.example = 0;
  fill();
}

void ExampleStream::fill() {
  examples_.clear();
  for (int epochs = 0; examples_.empty(); ++epochs) {
    if (epochs == 2) throw TextError("texts", "expected a document that makes a sequence, got none");
    if (place_.document == file_.documents()) place_ = {.epoch = place_.epoch + 1, .document = 0, .example = 0};
    const Permutation order(file_.documents(), RandomStream(seed_, fmt::format("documents {}", place_.epoch)));
    next_document_ = place_.document;
    while (next_document_ < file_.documents() && examples_.size() < kShuffled) {
      check_interruption();
      const uint64_t document = order.at(next_document_++);
      RandomStream stream(seed_, fmt::format("cuts {} {}", place_.epoch, document));
      for (const Example& example : cut_examples(file_, document, rules_, stream)) examples_.push_back(example);
    }
    if (examples_.empty()) place_.document = next_document_;
  }
  RandomStream stream(seed_, fmt::format("order {} {}", place_.epoch, place_.document));
  stream.shuffle(std::span(examples_));
}

}  // namespace summand::train
