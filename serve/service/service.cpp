#include "serve/service/service.hpp"

#include <utility>

namespace summand::serve {

Service::Service(ServedModels served, Keys allowed, const ServiceOptions& chosen, RequestLog::Options logging)
    : options(chosen),
      models(std::move(served)),
      keys(std::move(allowed)),
      log(logging),
      background(chosen.background_threads),
      worker(chosen.worker) {}

}  // namespace summand::serve
