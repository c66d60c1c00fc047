#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace summand {

/// Base class of this library's exceptions, thrown for bad input. what() is one line, "[where] what was expected, what
/// was got", escaped and cut at 8192 bytes. Running out of memory throws std::bad_alloc instead.
class Error : public std::runtime_error {
 public:
  /// @param where    the file, the option or the object that is wrong
  /// @param message  what was expected and what was got
  Error(std::string_view where, std::string_view message);

  /// The part of what() in brackets: what is wrong.
  [[nodiscard]] std::string_view where() const noexcept;
  [[nodiscard]] std::string_view message() const noexcept;  ///< the rest: what was expected and what was got

 private:
  size_t where_bytes_;
};

/// A configuration value that is missing, malformed or not supported.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A checkpoint file or directory that is damaged or does not match its configuration.
class CheckpointError : public Error {
 public:
  using Error::Error;
};

/// A text, a token or a line of input that cannot be processed as requested.
class TextError : public Error {
 public:
  using Error::Error;
};

/// A file or directory that cannot be read or written; the message ends with the system's reason.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A wrong call or command line.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace summand
