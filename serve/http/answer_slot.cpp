#include "serve/http/answer_slot.hpp"

#include <utility>

namespace summand::serve::http {

AnswerSlot::AnswerSlot(std::shared_ptr<WakeQueue> queue, UnsentBytes::Total unsent, std::weak_ptr<Sleeper> connection)
    : queue_(std::move(queue)), unsent_(std::move(unsent)), connection_(std::move(connection)) {}

void AnswerSlot::give(Response response) {
  settle(std::move(response));
}

void AnswerSlot::drop() {
  settle(std::nullopt);
}

void AnswerSlot::settle(std::optional<Response> response) {
  std::function<void()> not_needed;  // destroyed without the lock: it may own anything
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::settled;
    if (response) {
      const size_t bytes = response->body.size();
      answer_.emplace(Answer{.response = std::move(*response), .unsent = UnsentBytes(unsent_, bytes)});
    }
    not_needed.swap(on_gone_);
    if (!waited_for_) return;
  }
  queue_->wake(connection_);
}

void AnswerSlot::on_gone(std::function<void()> f) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::settled) return;
    if (state_ == State::open) {
      on_gone_ = std::move(f);
      return;
    }
  }
  f();
}

bool AnswerSlot::wait() {
  const std::lock_guard lock(mutex_);
  waited_for_ = true;
  return state_ == State::open;
}

bool AnswerSlot::settled() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::settled;
}

std::optional<Answer> AnswerSlot::take() {
  const std::lock_guard lock(mutex_);
  std::optional<Answer> taken = std::move(answer_);
  answer_.reset();
  return taken;
}

void AnswerSlot::leave() {
  std::function<void()> f;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::gone;
    f.swap(on_gone_);
  }
  if (f) f();
}

LiveExchange::LiveExchange(Request request, std::shared_ptr<AnswerSlot> slot)
    : request_(std::move(request)), slot_(std::move(slot)) {}

LiveExchange::~LiveExchange() {
  slot_->drop();
}

std::string LiveExchange::take_body() {
  return std::exchange(request_.body, {});
}

void LiveExchange::respond(Response response) {
  slot_->give(std::move(response));
}

void LiveExchange::on_gone(std::function<void()> f) {
  slot_->on_gone(std::move(f));
}

}  // namespace summand::serve::http
