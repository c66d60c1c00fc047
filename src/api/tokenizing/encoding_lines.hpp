#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "summand/text.hpp"
#include "text/input_record.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// Whether the text that the ids decode to stands in a line.
enum class Decoded { leave_out, write };

/// Encodes records and writes each as a line of JSON:
/// {"id":…,"ids":[…],"segments":[…],"tokens":[…],"offsets":[[begin,end],…],"decoded":…}, `id` where the record has one.
/// Offsets are bytes of the record's text. What is not UTF-8 in an id or a decoded text is written as U+FFFD.
class EncodingLines {
 public:
  struct Options {
    text::EncodeOptions encode = {};
    Decoded decoded = Decoded::leave_out;
    int threads = 0;  ///< at most so many take part; 0: as many as available_threads() says
  };

  /// @param tokenizer  outlives this object
  EncodingLines(const text::Tokenizer& tokenizer, const Options& options) : tokenizer_(tokenizer), options_(options) {}

  /// @return a line for each record, valid until the next call
  /// @throws TextError as Tokenizer::encode, of the first record that cannot be encoded
  [[nodiscard]] std::span<const std::string> of(std::span<const text::InputRecord> records);

  /// Of all records so far.
  [[nodiscard]] const ReadCount& count() const { return count_; }

 private:
  const text::Tokenizer& tokenizer_;
  Options options_;
  ReadCount count_;
  std::vector<std::string> lines_;  // reused from call to call
};

}  // namespace summand::api
