#include "api/heads/trained_reading.hpp"

#include "base/error.hpp"

namespace summand::api {

namespace {

void check_windows(const LoadedModel& model, model::Head head, const Reading& reading) {
  if (!reading.windows) return;
  const bool by_transformer = reading.windows->pooling == WindowPooling::transformer;
  const bool has_one = head == model::Head::sequence_classification && model.window_encoder() != nullptr;
  if (by_transformer == has_one) return;
  throw UsageError("windows", has_one ? "expected transformer, with which the model was trained, got another way"
                                      : "expected mean or max, as the model has no transformer over the windows of "
                                        "texts for this, got transformer");
}

}  // namespace

std::optional<Reading> trained_reading(const LoadedModel& model, model::Head head) {
  switch (head) {
    case model::Head::sequence_classification:
    case model::Head::token_classification:
      return model.config().reading;
    case model::Head::masked_language:
    case model::Head::next_sentence:
    case model::Head::question_answering:
      return std::nullopt;
  }
  __builtin_unreachable();
}

std::string trained_options(const LoadedModel& model) {
  return model::as_options(model.config().reading.value_or(Reading()));
}

Reading reading_for(const LoadedModel& model, model::Head head, const Reading& asked) {
  const Reading reading = model::as_trained(asked, trained_reading(model, head));
  check_windows(model, head, reading);
  return reading;
}

}  // namespace summand::api
