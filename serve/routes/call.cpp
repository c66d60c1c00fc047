#include "serve/routes/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace summand::serve {

namespace {

constexpr unsigned kClientGone = 499;  // in the log alone, as nginx's

/// What a client sent, as a header may show it: nothing of it ends the header.
std::string header_text(std::string text) {
  constexpr size_t kLongest = 512;
  if (text.size() > kLongest) text.resize(kLongest);
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string in_milliseconds(double seconds) {
  return fmt::format("{:.3f}", seconds * 1e3);
}

}  // namespace

Call::Call(Service& service, const Route& route, std::shared_ptr<http::Exchange> exchange, Key* key)
    : service_(service),
      route_(route),
      exchange_(std::move(exchange)),
      key_(key),
      bytes_in_(exchange_->request().body.size()) {
  service_.waiting_bytes += bytes_in_;
}

Call::~Call() {
  service_.waiting_bytes -= bytes_in_;
}

void Call::read_body() {
  const auto encoding = request().header("Content-Encoding");
  if (!encoding.empty() && encoding != "identity") {
    throw Refused{Fault::malformed, fmt::format("Content-Encoding: expected none, got '{}'", printable(encoding))};
  }
  bytes_ = exchange_->take_body();
  if (route_.access == Route::Access::page) return;
  body_.emplace(bytes_);
  if (!service_.log.wants_bodies()) bytes_ = {};
}

ServedModel& Call::model() {
  const auto asked = body_ ? body_->string("model").value_or("") : "";
  auto* const found = service_.models.find(asked);
  const bool is_it = found && (asked.empty() || found->name() == asked || service_.options.any_model_name);
  if (!is_it) {
    std::vector<std::string> names;
    for (const auto& one : service_.models.all()) names.push_back(one->name());
    throw Refused{Fault::not_found,
                  fmt::format("`model`: expected one of {}, got '{}'", fmt::join(names, ", "), printable(asked)),
                  "model"};
  }
  model_name_ = found->name();
  return *found;
}

void Call::require_texts(size_t texts) const {
  if (texts <= service_.options.most_texts) return;
  throw Refused{Fault::validation,
                fmt::format("expected at most {} texts a request, got {}", service_.options.most_texts, texts)};
}

void Call::require_reading(size_t bytes) const {
  constexpr size_t kMost = size_t{64} << 20;
  if (bytes <= kMost) return;
  throw Refused{Fault::too_large,
                fmt::format("expected texts of at most {} MiB, each with its query or prompt, got {} MiB: send fewer "
                            "texts at a time",
                            kMost >> 20, (bytes >> 20) + 1)};
}

void Call::require_answer(size_t bytes) const {
  if (bytes <= service_.options.most_answer_bytes) return;
  throw Refused{
      Fault::too_large,
      fmt::format("expected an answer of at most {} MiB (--max-answer), got a request for about {}: send fewer "
                  "texts at a time",
                  service_.options.most_answer_bytes >> 20, (bytes >> 20) + 1)};
}

void Call::set_size(const Size& size) {
  size_ = size;
  times_.tokenization = std::chrono::duration<double>(Clock::now() - start_).count();
}

void Call::charge() {
  if (!key_) return;
  if (const auto wait = key_->tokens().take(static_cast<double>(size_.tokens))) {
    throw Refused{Fault::overloaded, "the key has used its tokens of a minute", "", wait};
  }
}

void Call::refund() {
  if (key_) key_->tokens().give_back(static_cast<double>(size_.tokens));
}

void Call::set_times(double queue, double inference) {
  times_.queue = queue;
  times_.inference = inference;
}

void Call::answer(http::Response response) {
  if (size_.texts > 0) {
    auto& headers = response.headers;
    headers.emplace_back("X-Compute-Type", "cpu");
    headers.emplace_back("X-Compute-Characters", std::to_string(size_.characters));
    headers.emplace_back("X-Compute-Tokens", std::to_string(size_.tokens));
    headers.emplace_back("X-Tokenization-Time", in_milliseconds(times_.tokenization));
    headers.emplace_back("X-Queue-Time", in_milliseconds(times_.queue));
    headers.emplace_back("X-Inference-Time", in_milliseconds(times_.inference));
    const auto total = in_milliseconds(std::chrono::duration<double>(Clock::now() - start_).count());
    headers.emplace_back("X-Total-Time", total);
    headers.emplace_back("X-Compute-Time", total);
    headers.emplace_back("X-Truncated-Inputs", std::to_string(size_.truncated));
    if (stored_ > 0) headers.emplace_back("X-Stored-Results", std::to_string(stored_));
  }
  if (!notices_.empty())
    response.headers.emplace_back("X-Notices", header_text(fmt::format("{}", fmt::join(notices_, "; "))));
  if (body_) {
    const auto ignored = body_->ignored();
    if (!ignored.empty()) {
      response.headers.emplace_back("X-Ignored-Fields", header_text(fmt::format("{}", fmt::join(ignored, ", "))));
    }
  }
  end(std::move(response), "", "");
}

void Call::refuse(const Refused& refused) {
  end(error_response(route_.dialect, refused), error_type(refused.fault), refused.message);
}

void Call::refuse_thrown() {
  try {
    throw;
  } catch (const Refused& refused) {
    refuse(refused);
  } catch (const ConfigError& error) {
    refuse({Fault::other_model, error.what()});
  } catch (const CheckpointError& error) {
    refuse({Fault::backend, error.what()});
  } catch (const TextError& error) {
    refuse({Fault::tokenizer, error.what()});
  } catch (const Error& error) {
    refuse({Fault::validation, error.what()});
  } catch (const std::bad_alloc&) {
    refuse({Fault::overloaded, "there is not enough memory for this request now", "", 1.0});
  } catch (const std::exception& error) {
    refuse({Fault::internal, error.what()});
  }
}

void Call::dropped() {
  if (ended_.exchange(true)) return;
  times_.total = std::chrono::duration<double>(Clock::now() - start_).count();
  service_.metrics.answered({.route = route_.path, .prefix = kind_, .fault = "Gone", .times = times_});
  service_.log.write({.id = request().id,
                      .key = key_ ? std::string_view(key_->name()) : std::string_view(),
                      .peer = request().peer,
                      .method = request().method,
                      .path = request().path,
                      .model = model_name_,
                      .status = kClientGone,
                      .fault = "Gone",
                      .texts = size_.texts,
                      .tokens = size_.tokens,
                      .bytes_in = bytes_in_,
                      .times = times_});
}

Call::Gone& Call::watched() {
  if (!gone_) {
    gone_ = std::make_shared<Gone>();
    exchange_->on_gone([gone = gone_] {
      std::unique_lock lock(gone->mutex);
      gone->is_so = true;
      const auto then = std::exchange(gone->then, nullptr);
      lock.unlock();
      if (then) then();
    });
  }
  return *gone_;
}

bool Call::is_gone() {
  auto& gone = watched();
  const std::lock_guard lock(gone.mutex);
  return gone.is_so;
}

void Call::on_gone(std::function<void()> f) {
  auto& gone = watched();
  std::unique_lock lock(gone.mutex);
  if (!gone.is_so) {
    gone.then = std::move(f);
    return;
  }
  lock.unlock();
  f();
}

void Call::attempt(const std::function<void()>& step) {
  try {
    step();
  } catch (...) {
    refuse_thrown();
  }
}

void Call::attempt_in(Background& background, std::function<void()> step) {
  static_cast<void>(watched());  // from now on it is looked for
  background.run([call = shared_from_this(), step = std::move(step)] {
    if (call->is_gone()) return call->dropped();
    call->attempt(step);
  });
}

void Call::end(http::Response response, std::string_view fault, std::string_view message) {
  if (ended_.exchange(true)) return;
  times_.total = std::chrono::duration<double>(Clock::now() - start_).count();
  service_.metrics.answered(
      {.route = route_.path, .prefix = kind_, .fault = fault, .tokens = size_.tokens, .times = times_});
  const auto status = response.status;
  const auto bytes_out = response.body.size();
  exchange_->respond(std::move(response));
  // The live page reads its files, and its claims every second: a line only where that fails.
  if (route_.access == Route::Access::page && request().method == "GET" && fault.empty()) return;
  // The client does not wait for its line.
  const bool tells = service_.log.wants_bodies();
  service_.log.write({.id = request().id,
                      .key = key_ ? std::string_view(key_->name()) : std::string_view(),
                      .peer = request().peer,
                      .method = request().method,
                      .path = request().path,
                      .model = model_name_,
                      .status = status,
                      .fault = tells && !message.empty() ? message : fault,
                      .texts = size_.texts,
                      .tokens = size_.tokens,
                      .truncated = size_.truncated,
                      .stored = stored_,
                      .bytes_in = bytes_in_,
                      .bytes_out = bytes_out,
                      .times = times_,
                      .body = tells ? std::string_view(bytes_) : std::string_view()});
}

}  // namespace summand::serve
