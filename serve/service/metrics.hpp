#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace summand::serve {

/// Counts of values by size, and their sum, as Prometheus's histograms.
///
/// Thread-safety: members may be called from any thread.
class Histogram {
 public:
  /// @param bounds  upper ones, ascending; above the last there is one more bucket
  explicit Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

  void add(double value);

  struct Reading {
    std::vector<uint64_t> up_to;  ///< [bounds + 1], values at most the bound; the last are all
    double sum = 0;
  };
  [[nodiscard]] Reading read() const;
  [[nodiscard]] const std::vector<double>& bounds() const { return bounds_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

/// Seconds of a request's parts.
struct RequestTimes {
  double total = 0, tokenization = 0, queue = 0, inference = 0;
};

/// What was answered.
struct AnsweredRequest {
  std::string_view route;   ///< its path
  std::string_view prefix;  ///< of the metrics of its kind: "embed", "predict"; empty: none
  std::string_view fault;   ///< error_type; empty: answered as asked
  size_t tokens = 0;
  RequestTimes times;
};

/// Everything that /metrics says. Names that begin with te_ are text-embeddings-inference's, so that its dashboards
/// work.
///
/// Thread-safety: members may be called from any thread.
class Metrics {
 public:
  Metrics();

  void answered(const AnsweredRequest& request);
  void computed(size_t pieces, size_t tokens);

  /// A value that is read when it is asked for.
  struct Gauge {
    std::string name;
    std::string help;
    double value = 0;
    bool counts = false;  ///< whether it only grows
  };
  /// All of it in Prometheus's text format 0.0.4.
  [[nodiscard]] std::string text(const std::vector<Gauge>& gauges) const;

 private:
  struct Kind {
    std::atomic<uint64_t> count = 0, success = 0;
    Histogram duration, tokenization, queue, inference;
    Kind();
  };

  mutable std::mutex mutex_;  // of the three maps; their values are atomic
  std::map<std::string, uint64_t, std::less<>> requests_;
  std::map<std::string, uint64_t, std::less<>> successes_;
  std::map<std::string, uint64_t, std::less<>> faults_;
  Kind request_;
  Kind embed_;
  Kind predict_;
  Histogram input_length_;
  Histogram batch_size_;
  Histogram batch_tokens_;
};

}  // namespace summand::serve
