#include "api/heads/trained_reading.hpp"

namespace summand::api {

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

Reading reading_for(const LoadedModel& model, model::Head head, const Reading& asked) {
  return model::as_trained(asked, trained_reading(model, head));
}

}  // namespace summand::api
