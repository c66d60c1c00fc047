#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes of the live page, which are its own: serve/live/README.md describes them.
namespace summand::serve::routes {

/// GET / and GET /live/NAME: the page and its files.
void live_file(const std::shared_ptr<Call>& call);
/// GET /live/models
void live_models(const std::shared_ptr<Call>& call);
/// POST /live/look
void live_look(const std::shared_ptr<Call>& call);
/// POST /live/claims: begins a run.
void live_start_claims(const std::shared_ptr<Call>& call);
/// GET /live/claims?after=N: its state and verdicts.
void live_claims(const std::shared_ptr<Call>& call);
/// DELETE /live/claims: ends it.
void live_cancel_claims(const std::shared_ptr<Call>& call);
/// GET /live/report/NAME: a file of its report.
void live_report(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
