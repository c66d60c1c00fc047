#include "serve/service/service.hpp"

#include <chrono>
#include <utility>

#include "serve/live/laboratory.hpp"

namespace summand::serve {

namespace {

WorkerOptions counted(WorkerOptions options, Metrics& metrics) {
  options.on_batch = [&metrics](size_t pieces, size_t tokens) { metrics.computed(pieces, tokens); };
  return options;
}

}  // namespace

Service::Service(ServedModels served, Keys allowed, const ServiceOptions& chosen, RequestLog::Options logging)
    : options(chosen),
      models(std::move(served)),
      keys(std::move(allowed)),
      log(logging),
      started(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
                  .count()),
      worker(counted(chosen.worker, metrics)),
      background(chosen.background_threads) {}

Service::~Service() {
  worker.stop();  // it hands answers to the background
}

}  // namespace summand::serve
