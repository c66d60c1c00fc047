#include "text/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"

namespace summand::text {

InputBytes::InputBytes(const std::filesystem::path& path) : name_(path == "-" ? "standard input" : path.string()) {
  const auto refuse = [this](int reason) {
    throw IoError(name_, fmt::format("expected a readable file: {}", errno_text(reason)));
  };
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse(errno);
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return;  // left to reading
  if (S_ISDIR(status.st_mode)) {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    refuse(EISDIR);
  }
  if (S_ISREG(status.st_mode) && path != "-") size_ = static_cast<uint64_t>(status.st_size);
}

InputBytes::~InputBytes() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

bool InputBytes::read_more() {
  char* const end = egptr() ? egptr() : buffer_.data();
  ssize_t got = 0;
  do {
    wait_for_input(descriptor_);
    got = ::read(descriptor_, end, static_cast<size_t>(buffer_.data() + buffer_.size() - end));
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got < 0) throw IoError(name_, "expected to read on: " + errno_text(errno));
  bytes_taken_ += static_cast<uint64_t>(got);
  setg(buffer_.data(), gptr() ? gptr() : buffer_.data(), end + got);
  return got > 0;
}

InputBytes::int_type InputBytes::underflow() {
  if (gptr() == egptr()) {
    setg(buffer_.data(), buffer_.data(), buffer_.data());
    if (!read_more()) return traits_type::eof();
  }
  return traits_type::to_int_type(*gptr());
}

bool InputBytes::starts_with(std::string_view beginning) {
  for (;;) {
    const std::string_view there(gptr(), static_cast<size_t>(egptr() - gptr()));
    if (there.size() >= beginning.size()) return there.starts_with(beginning);
    if (!beginning.starts_with(there) || !read_more()) return false;
  }
}

}  // namespace summand::text
