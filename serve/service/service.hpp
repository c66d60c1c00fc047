#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/server.hpp"
#include "serve/service/background.hpp"
#include "serve/service/keys.hpp"
#include "serve/service/metrics.hpp"
#include "serve/service/request_log.hpp"
#include "serve/work/served_model.hpp"
#include "serve/work/worker.hpp"

namespace summand::serve {

namespace live {
class Laboratory;
}  // namespace live

struct ServiceOptions {
  bool auto_truncate = true;                     ///< what a request without `truncate` means
  bool any_model_name = true;                    ///< whether the only model answers to every name
  size_t most_texts = 100'000;                   ///< in a request
  size_t most_answer_bytes = size_t{256} << 20;  ///< of a body that is sent, about
  size_t most_connections = 2048;
  size_t most_waiting_bytes = size_t{256} << 20;  ///< of bodies being read or computed and answers to send, together
  bool private_page = true;                       ///< whether the live page answers to names of this machine alone
  WorkerOptions worker = {};
  int background_threads = 1;
};

/// What all requests share: models, the worker, counts.
struct Service {
  Service(ServedModels served, Keys allowed, const ServiceOptions& chosen, RequestLog::Options logging);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  const ServiceOptions options;
  ServedModels models;
  Keys keys;
  Metrics metrics;
  RequestLog log;
  const int64_t started;                                 ///< Unix time, seconds
  std::atomic<bool> draining = false;                    ///< whether new work is refused
  std::atomic<size_t> waiting_bytes = 0;                 ///< of bodies not answered yet
  std::function<http::ServerCounts()> connections = {};  ///< set once the server stands, before it runs
  std::unique_ptr<live::Laboratory> laboratory;          ///< what the live page asks; null if there is no page
  std::string no_page;                                   ///< why there is none, in a line
  // Last: what they run ends before anything above is gone. What runs in the background submits to the worker.
  Worker worker;
  Background background;           ///< of bodies and answers of many MiB
  Background small_background{1};  ///< of smaller ones, so that they do not wait behind those
  Background looks{1};             ///< of the laboratory
};

}  // namespace summand::serve
