#include "serve/service/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace summand::serve {

namespace {

std::vector<double> growing(double first, double factor, size_t count) {
  std::vector<double> bounds{first};
  while (bounds.size() < count) bounds.push_back(bounds.back() * factor);
  return bounds;
}

/// Source: text-embeddings-inference, router/src/prometheus.rs
std::vector<double> durations() {
  return growing(1e-5, 1.5, 35);
}

void head(std::string& text, std::string_view name, std::string_view kind, std::string_view help) {
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

void write(std::string& text, std::string_view name, std::string_view help, uint64_t value) {
  head(text, name, "counter", help);
  fmt::format_to(std::back_inserter(text), "{} {}\n", name, value);
}

void write(std::string& text, std::string_view name, std::string_view help, const Histogram& histogram) {
  head(text, name, "histogram", help);
  const auto reading = histogram.read();
  for (size_t i = 0; i < histogram.bounds().size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}_bucket{{le=\"{:.6g}\"}} {}\n", name, histogram.bounds()[i],
                   reading.up_to[i]);
  }
  fmt::format_to(std::back_inserter(text), "{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name,
                 reading.up_to.back(), name, reading.sum, name, reading.up_to.back());
}

void write(std::string& text, std::string_view name, std::string_view help, std::string_view label,
           const auto& counts) {
  head(text, name, "counter", help);
  for (const auto& [value, count] : counts) {
    fmt::format_to(std::back_inserter(text), "{}{{{}=\"{}\"}} {}\n", name, label, value, count);
  }
}

void add_one(auto& counts, std::string_view name) {
  const auto found = counts.find(name);
  if (found != counts.end()) {
    ++found->second;
  } else {
    counts.emplace(name, 1);
  }
}

}  // namespace

void Histogram::add(double value) {
  const auto bucket = static_cast<size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Reading Histogram::read() const {
  Reading reading;
  uint64_t total = 0;
  for (const auto& count : counts_) reading.up_to.push_back(total += count.load(std::memory_order_relaxed));
  reading.sum = sum_.load(std::memory_order_relaxed);
  return reading;
}

Metrics::Kind::Kind() : duration(durations()), tokenization(durations()), queue(durations()), inference(durations()) {}

Metrics::Metrics()
    : input_length_(growing(1, 2, 15)), batch_size_(growing(1, 2, 13)), batch_tokens_(growing(8, 2, 14)) {}

void Metrics::answered(const AnsweredRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    add_one(requests_, request.route);
    if (request.fault.empty()) {
      add_one(successes_, request.route);
    } else {
      add_one(faults_, request.fault);
    }
  }
  const auto add = [&](Kind& kind) {
    ++kind.count;
    if (!request.fault.empty()) return;
    ++kind.success;
    kind.duration.add(request.times.total);
    kind.tokenization.add(request.times.tokenization);
    kind.queue.add(request.times.queue);
    kind.inference.add(request.times.inference);
  };
  if (request.prefix.empty()) return;
  add(request_);
  if (request.prefix == "embed") add(embed_);
  if (request.prefix == "predict") add(predict_);
  if (request.fault.empty()) input_length_.add(static_cast<double>(request.tokens));
}

void Metrics::computed(size_t pieces, size_t tokens) {
  batch_size_.add(static_cast<double>(pieces));
  batch_tokens_.add(static_cast<double>(tokens));
}

std::string Metrics::text(const std::vector<Gauge>& gauges) const {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    write(text, "te_request_count", "Requests by route", "method", requests_);
    write(text, "te_request_success", "Requests answered as asked, by route", "method", successes_);
    write(text, "te_request_failure", "Requests refused or failed, by kind of fault", "err", faults_);
  }
  const auto write_kind = [&](const std::string& name, const Kind& kind) {
    if (name != "te_request") {
      write(text, name + "_count", "Requests of this kind", kind.count);
      write(text, name + "_success", "Requests of this kind answered as asked", kind.success);
    }
    write(text, name + "_duration", "Seconds from the request read to its answer", kind.duration);
    write(text, name + "_tokenization_duration", "Seconds of reading and tokenizing", kind.tokenization);
    write(text, name + "_queue_duration", "Seconds of waiting for a batch", kind.queue);
    write(text, name + "_inference_duration", "Seconds from its first batch to the end of its last", kind.inference);
  };
  write_kind("te_request", request_);
  write_kind("te_embed", embed_);
  write_kind("te_predict", predict_);
  write(text, "te_request_input_length", "Tokens of a request", input_length_);
  write(text, "te_batch_next_size", "Sequences of a batch", batch_size_);
  write(text, "te_batch_next_tokens", "Tokens of a batch", batch_tokens_);
  for (const auto& gauge : gauges) {
    head(text, gauge.name, gauge.counts ? "counter" : "gauge", gauge.help);
    fmt::format_to(std::back_inserter(text), "{} {}\n", gauge.name, gauge.value);
  }
  return text;
}

}  // namespace summand::serve
