#pragma once

#include <string>
#include <string_view>

namespace summand::test {

/// An answer as it came.
struct RawAnswer {
  unsigned status = 0;  ///< 0: the connection ended before it was whole
  std::string head;     ///< with the empty line
  std::string body;

  /// The value of the one field of this name, in this case; empty if there is none.
  [[nodiscard]] std::string field(std::string_view name) const;
};

/// A socket that sends bytes as they are. It waits a minute at most, then counts as closed.
class RawClient {
 public:
  struct Unconnected {};

  explicit RawClient(unsigned short port);
  explicit RawClient(Unconnected);  ///< of TCP
  explicit RawClient(const std::string& unix_path);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  virtual ~RawClient();

  void connect(unsigned short port);
  /// @return whether the other end took it all
  bool send(std::string_view bytes);
  /// @param method  of the request: an answer to HEAD has no body
  RawAnswer answer(std::string_view method = "GET");
  RawAnswer ask(std::string_view request, std::string_view method = "GET");
  /// Whether the other end closes without another byte.
  bool ends();
  /// Everything until the other end closes.
  std::string rest();
  /// At most so many bytes, as they come; 0: closed.
  size_t take(size_t most);

  void end_sending() const;
  void close();
  /// Closes so that the other end gets a reset.
  void reset();
  /// Makes the window small that the other end can fill.
  void receive_little() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 protected:
  virtual long read_some(char* bytes, size_t most);
  virtual long write_some(const char* bytes, size_t size);

 private:
  /// @return false: closed
  bool read_more();

  int descriptor_ = -1;
  std::string received_;
};

/// "GET /path HTTP/1.1" with a Host.
[[nodiscard]] std::string get(std::string_view path, std::string_view fields = {});
/// A POST with a Content-Length.
[[nodiscard]] std::string post(std::string_view path, std::string_view body, std::string_view fields = {});

}  // namespace summand::test
