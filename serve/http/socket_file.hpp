#pragma once

#include <sys/types.h>

#include <filesystem>

namespace summand::serve::http {

/// Makes room for a Unix socket: removes one that nobody listens on any more.
/// @throws IoError if a server listens there, or if the path is another kind of file
void remove_stale_socket(const std::filesystem::path& path);

/// The file of a Unix socket that was bound here; removed at the end, unless another one stands there by then.
class SocketFile {
 public:
  explicit SocketFile(std::filesystem::path path);
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile();

 private:
  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace summand::serve::http
