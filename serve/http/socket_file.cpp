#include "serve/http/socket_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::serve::http {

void remove_stale_socket(const std::filesystem::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) throw IoError(path_text(path), "expected a socket, got another kind of file");
  boost::asio::io_context unused;
  boost::asio::local::stream_protocol::socket socket(unused);
  boost::system::error_code error;
  socket.connect(path.string(), error);
  if (error != boost::asio::error::connection_refused) {
    throw IoError(path_text(path), error ? "cannot be replaced: " + error.message() : "a server listens there");
  }
  if (::unlink(path.c_str()) != 0) throw IoError(path_text(path), "cannot be replaced: " + errno_text(errno));
}

SocketFile::SocketFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat bound {};
  if (::lstat(path_.c_str(), &bound) != 0) path_.clear();
  device_ = bound.st_dev;
  inode_ = bound.st_ino;
}

SocketFile::~SocketFile() {
  struct stat there {};
  if (path_.empty() || ::lstat(path_.c_str(), &there) != 0) return;
  if (there.st_dev == device_ && there.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace summand::serve::http
