#include "train/run/ranks.hpp"

#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#define USE_C10D_GLOO  // NOLINT: as libtorch was built; else its header declares nothing
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/available_threads.hpp"
#include "base/error.hpp"

namespace summand::train {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr int kJoinSeconds = 300;
/// For the others to finish the same step. Ranks that have ended are noticed at once, by their closed connections.
constexpr Milliseconds kStepTimeout = std::chrono::minutes(30);
/// For rank 0 to tokenize, validate and save.
constexpr Milliseconds kFirstTimeout = std::chrono::hours(24);
/// For the others to leave, of a rank 0 that has the store.
constexpr Milliseconds kLeaveTimeout = std::chrono::seconds(5);
constexpr Milliseconds kBetweenLooks{10};
constexpr int kMostProcesses = 1 << 16;
constexpr const char* kLeft = "left";  // key of the store: how many have left

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// @throws UsageError unless it is a number in [least, most]
int number(const char* name, const std::string& text, int least, int most) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least && value <= most) return value;
  throw UsageError(name, fmt::format("expected a number from {} to {}, got '{}'", least, most, printable(text)));
}

int number_or(const char* name, int otherwise, int least, int most) {
  const auto text = variable(name);
  return text ? number(name, *text, least, most) : otherwise;
}

std::string required(const char* name) {
  auto value = variable(name);
  if (!value || value->empty()) throw UsageError(name, "expected a value with RANK and WORLD_SIZE, got none");
  return *value;
}

/// What libtorch or Gloo say of a failure: the first sentence, without the place in their sources.
std::string reason(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  std::string_view text = own == nullptr ? error.what() : own->what_without_backtrace();
  if (const size_t place = text.find("] "); text.starts_with('[') && place != std::string_view::npos) {
    text.remove_prefix(place + 2);
  }
  text = text.substr(0, std::min(text.find('\n'), text.find(". ")));
  if (text.ends_with('.')) text.remove_suffix(1);
  return printable(text);
}

/// Else torchrun does, or rank 0.
bool hosts_store(const Share& share) {
  return share.rank == 0 && variable("TORCHELASTIC_USE_AGENT_STORE") != "True";
}

c10::intrusive_ptr<c10d::Store> open_store(const Share& share, Milliseconds timeout) {
  const std::string host = required("MASTER_ADDR");
  const int port = number("MASTER_PORT", required("MASTER_PORT"), 1, 65535);
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.isServer = hosts_store(share);
  options.numWorkers = share.size;
  options.timeout = timeout;
  try {
    return c10::make_intrusive<c10d::TCPStore>(host, options);
  } catch (const std::exception& error) {
    throw IoError(
        fmt::format("{}:{}", printable(host), port),
        fmt::format("expected the store of MASTER_ADDR and MASTER_PORT, where {} processes meet, got none: {}",
                    share.size, reason(error)));
  }
}

}  // namespace

struct Ranks::Group {
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  /// Closes the connections. Keeps an own store until the others have asked it who complains.
  ~Group() {
    backend.reset();
    try {
      if (!store) return;
      store->add(kLeft, 1);
      const auto end = std::chrono::steady_clock::now() + kLeaveTimeout;
      while (hosts_store && store->add(kLeft, 0) < share.size && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kBetweenLooks);
      }
    } catch (const std::exception&) {
      return;  // whoever had the store has left
    }
  }

  c10::intrusive_ptr<c10d::Store> store;
  bool hosts_store = false;
  c10::intrusive_ptr<c10d::Backend> backend;
  Share share;
  at::Tensor sent, received;  // [ranks · part], of sum(), kept from step to step

  /// @throws IoError if another process has ended or is silent for too long
  void wait(const c10::intrusive_ptr<c10d::Work>& work) const {
    try {
      work->wait();
    } catch (const std::exception& error) {
      const std::string other = share.size == 2 ? fmt::format("rank {}", 1 - share.rank) : "another rank";
      throw IoError(fmt::format("rank {} of {}", share.rank, share.size),
                    fmt::format("the connection to {} is lost: {}; what was saved stays, and --resume continues it",
                                other, reason(error)));
    }
  }

  /// @param own  [numbers]
  /// @return [ranks, numbers]
  [[nodiscard]] at::Tensor gathered(at::Tensor own) const {
    at::Tensor all = at::empty({share.size * own.numel()}, own.options());
    c10d::AllgatherOptions options;
    options.timeout = kStepTimeout;
    wait(backend->_allgather_base(all, own, options));
    return all.view({share.size, own.numel()});
  }

  void broadcast(at::Tensor tensor, Milliseconds timeout) const {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    c10d::BroadcastOptions options;
    options.timeout = timeout;
    wait(backend->broadcast(tensors, options));
  }

  /// Makes `sent` and `received` large enough for so many numbers, in equal parts.
  void make_room(int64_t numbers) {
    const int64_t part = (numbers + share.size - 1) / share.size;
    if (sent.defined() && sent.numel() == part * share.size) return;
    sent = at::zeros({part * share.size}, at::kFloat);
    received = at::empty_like(sent);
  }
};

Ranks::Ranks() = default;
Ranks::Ranks(const Share& share, const Share& local, std::unique_ptr<Group> group)
    : share_(share), local_(local), group_(std::move(group)) {}
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

Ranks Ranks::from_environment() {
  if (!variable("RANK") && !variable("WORLD_SIZE")) return {};
  const int size = number("WORLD_SIZE", required("WORLD_SIZE"), 1, kMostProcesses);
  const Share share{.rank = number("RANK", required("RANK"), 0, size - 1), .size = size};
  const int local_size = number_or("LOCAL_WORLD_SIZE", 1, 1, size);
  const Share local{.rank = number_or("LOCAL_RANK", 0, 0, local_size - 1), .size = local_size};
  const Milliseconds timeout = std::chrono::seconds(number_or("SUMMAND_JOIN_SECONDS", kJoinSeconds, 1, 24 * 60 * 60));
  if (size == 1) return {};
  // c10d also logs, in many lines, what it throws.
  if (!variable("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
  auto group = std::make_unique<Group>();
  group->share = share;
  group->hosts_store = hosts_store(share);
  // A launcher that starts failed processes again may keep its store.
  const std::string attempt = variable("TORCHELASTIC_RESTART_COUNT").value_or("0");
  group->store = c10::make_intrusive<c10d::PrefixStore>("summand/" + attempt, open_store(share, timeout));
  try {
    group->backend = c10::make_intrusive<c10d::ProcessGroupGloo>(
        group->store, share.rank, share.size, c10d::ProcessGroupGloo::Options::create_default(timeout));
  } catch (const std::exception& error) {
    throw IoError(fmt::format("rank {} of {}", share.rank, share.size),
                  fmt::format("expected to be connected with the other ranks, got: {}", reason(error)));
  }
  // One that fails now must not end before the others are connected.
  static_cast<void>(group->gathered(at::zeros({1})));
  return {share, local, std::move(group)};
}

int Ranks::default_threads() const {
  return std::max(1, available_threads() / local_.size);
}

void Ranks::sum(std::span<const at::Tensor> tensors) {
  if (is_alone()) return;
  int64_t numbers = 0;
  for (const at::Tensor& tensor : tensors) numbers += tensor.numel();
  group_->make_room(numbers);
  const auto for_each = [&](const auto& copy) {
    int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
      copy(tensor, group_->sent.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
      begin += tensor.numel();
    }
  };
  for_each([](const at::Tensor& tensor, const at::Tensor& place) { place.copy_(tensor); });
  c10d::AllToAllOptions options;
  options.timeout = kStepTimeout;
  std::vector<int64_t> equal;
  group_->wait(group_->backend->alltoall_base(group_->received, group_->sent, equal, equal, options));
  const at::Tensor parts = group_->received.view({size(), -1});
  at::Tensor part = parts[0];
  for (int64_t rank = 1; rank < size(); ++rank) part.add_(parts[rank]);
  c10d::AllgatherOptions back;
  back.timeout = kStepTimeout;
  group_->wait(group_->backend->_allgather_base(group_->sent, part, back));
  for_each([](const at::Tensor& tensor, const at::Tensor& place) { tensor.copy_(place); });
}

std::vector<double> Ranks::sum(const std::vector<double>& numbers) {
  if (is_alone()) return numbers;
  const at::Tensor all = group_->gathered(at::tensor(numbers, at::kDouble));
  const double* values = all.const_data_ptr<double>();
  std::vector<double> sums(numbers.size(), 0);
  for (size_t i = 0; i < numbers.size() * share_.size; ++i) sums[i % numbers.size()] += values[i];
  return sums;
}

std::vector<std::string> Ranks::gather(const std::string& text) {
  if (is_alone()) return {text};
  const at::Tensor lengths = group_->gathered(at::full({1}, static_cast<int64_t>(text.size()), at::kLong));
  const int64_t longest = std::max<int64_t>(1, lengths.max().item<int64_t>());
  const at::Tensor own = at::zeros({longest}, at::kByte);
  std::memcpy(own.mutable_data_ptr<uint8_t>(), text.data(), text.size());
  const at::Tensor all = group_->gathered(own);
  std::vector<std::string> texts;
  for (int64_t rank = 0; rank < size(); ++rank) {
    const auto* begin = reinterpret_cast<const char*>(all.const_data_ptr<uint8_t>() + rank * longest);
    texts.emplace_back(begin, static_cast<size_t>(lengths[rank].item<int64_t>()));
  }
  return texts;
}

void Ranks::copy_from_first(const at::Tensor& tensor) {
  if (is_alone()) return;
  const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
  group_->broadcast(host, kStepTimeout);
  if (!host.is_alias_of(tensor)) tensor.detach().copy_(host);
}

std::string Ranks::from_first(const std::string& text) {
  if (is_alone()) return text;
  const at::Tensor length = at::full({1}, static_cast<int64_t>(text.size()), at::kLong);
  group_->broadcast(length, kFirstTimeout);
  const auto bytes = length.item<int64_t>();
  if (bytes == 0) return "";
  const at::Tensor content = at::empty({bytes}, at::kByte);
  if (is_first()) std::memcpy(content.mutable_data_ptr<uint8_t>(), text.data(), text.size());
  group_->broadcast(content, kStepTimeout);
  return {reinterpret_cast<const char*>(content.const_data_ptr<uint8_t>()), static_cast<size_t>(bytes)};
}

bool Ranks::may_complain() {
  if (is_alone()) return true;
  try {
    return group_->store->add("complaints", 1) == 1;
  } catch (const std::exception&) {
    return true;  // the store is gone: better twice than not at all
  }
}

}  // namespace summand::train
