#include "serve/service/service.hpp"

#include <chrono>
#include <utility>

#include "serve/live/laboratory.hpp"

namespace summand::serve {

Service::Service(ServedModels served, Keys allowed, const ServiceOptions& chosen, RequestLog::Options logging)
    : options(chosen),
      models(std::move(served)),
      keys(std::move(allowed)),
      log(logging),
      started(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
                  .count()),
      worker(chosen.worker),
      background(chosen.background_threads) {}

Service::~Service() = default;

}  // namespace summand::serve
