#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace summand {

/// Bad input: what every function of this library throws that was asked for something impossible. what() is one line,
/// "[where] what was expected, what was got", whatever the two texts hold: it is escaped and cut at 8192 bytes. Memory
/// that runs out is std::bad_alloc.
class Error : public std::runtime_error {
 public:
  /// @param where    the file, the option or the thing that is wrong
  /// @param message  what was expected and what was got
  Error(std::string_view where, std::string_view message);

  /// The first part of what(), as it stands there: what is wrong.
  [[nodiscard]] std::string_view where() const noexcept;
  [[nodiscard]] std::string_view message() const noexcept;  ///< the second: what was expected and what was got

 private:
  size_t where_bytes_;
};

/// A configuration value that is missing, malformed or cannot be honoured.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A checkpoint file or directory that is damaged or does not fit its configuration.
class CheckpointError : public Error {
 public:
  using Error::Error;
};

/// A text, a token or a line of input that cannot be processed as asked.
class TextError : public Error {
 public:
  using Error::Error;
};

/// A file or directory that cannot be read or written; the message ends with the system's reason.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A call or a command line that asks for something that does not exist.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace summand
