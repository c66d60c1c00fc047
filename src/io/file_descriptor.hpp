#pragma once

#include <unistd.h>

#include <utility>

namespace summand::io {

/// Owns an open file descriptor; -1 is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (is_open()) ::close(number_);
  }

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  /// Closes now. @return what close(2) returns, since a late write error may show only there
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

}  // namespace summand::io
