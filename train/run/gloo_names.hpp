#pragma once

#include <chrono>
#include <string>
#include <vector>

// libtorch's package contains Gloo but not Gloo's headers, which c10d/ProcessGroupGloo.hpp includes. These are the
// names that it mentions. It holds Gloo's objects by pointer, and Gloo's functions are called inside libtorch alone, so
// their true layout is not needed here: docs/decisions/several-processes.md.

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {

class Device;

class UnboundBuffer {
 public:
  virtual ~UnboundBuffer();
};

}  // namespace transport

namespace rendezvous {

class Store {
 public:
  virtual ~Store();
  virtual void set(const std::string& key, const std::vector<char>& value) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) = 0;
};

}  // namespace rendezvous

}  // namespace gloo
