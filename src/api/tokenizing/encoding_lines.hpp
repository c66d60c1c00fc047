#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "summand/text.hpp"
#include "text/input_record.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// Whether a line includes the decoded text.
enum class Decoded { leave_out, write };

/// Encodes records and writes each as a line of JSON:
/// {"id":…,"ids":[…],"segments":[…],"tokens":[…],"offsets":[[begin,end],…],"decoded":…}, `id` if the record has one.
/// Offsets are bytes of the record's text. Invalid UTF-8 in an id or a decoded text becomes U+FFFD.
class EncodingLines {
 public:
  struct Options {
    text::EncodeOptions encode = {};
    Decoded decoded = Decoded::leave_out;
    int threads = 0;  ///< at most; 0: available_threads()
  };

  /// @param tokenizer  outlives this object
  EncodingLines(const text::Tokenizer& tokenizer, const Options& options) : tokenizer_(tokenizer), options_(options) {}

  /// @return one line per record, valid until the next call
  /// @throws TextError as Tokenizer::encode, for the first record that cannot be encoded
  [[nodiscard]] std::span<const std::string> of(std::span<const text::InputRecord> records);

  /// Over all records so far.
  [[nodiscard]] const ReadCount& count() const { return count_; }

 private:
  const text::Tokenizer& tokenizer_;
  Options options_;
  ReadCount count_;
  std::vector<std::string> lines_;  // reused by later calls
};

}  // namespace summand::api
