#include "io/well_known_models.hpp"

#include <algorithm>
#include <array>

namespace summand::io {

namespace {

struct WellKnown {
  std::string_view name, owner;
};

constexpr std::array kWellKnown{
    WellKnown{"bert-base-uncased", "google-bert"},
    WellKnown{"bert-base-cased", "google-bert"},
    WellKnown{"bert-large-uncased", "google-bert"},
    WellKnown{"bert-large-cased", "google-bert"},
    WellKnown{"bert-large-uncased-whole-word-masking", "google-bert"},
    WellKnown{"bert-large-cased-whole-word-masking", "google-bert"},
    WellKnown{"bert-large-uncased-whole-word-masking-finetuned-squad", "google-bert"},
    WellKnown{"bert-large-cased-whole-word-masking-finetuned-squad", "google-bert"},
    WellKnown{"bert-base-multilingual-cased", "google-bert"},
    WellKnown{"bert-base-multilingual-uncased", "google-bert"},
    WellKnown{"bert-base-chinese", "google-bert"},
    WellKnown{"all-MiniLM-L6-v2", "sentence-transformers"},
    WellKnown{"all-MiniLM-L12-v2", "sentence-transformers"},
    WellKnown{"multi-qa-MiniLM-L6-cos-v1", "sentence-transformers"},
    WellKnown{"bge-small-en-v1.5", "BAAI"},
    WellKnown{"bge-base-en-v1.5", "BAAI"},
    WellKnown{"bge-large-en-v1.5", "BAAI"},
    WellKnown{"bge-small-zh-v1.5", "BAAI"},
    WellKnown{"bge-base-zh-v1.5", "BAAI"},
    WellKnown{"bge-large-zh-v1.5", "BAAI"},
    WellKnown{"e5-small-v2", "intfloat"},
    WellKnown{"e5-base-v2", "intfloat"},
    WellKnown{"e5-large-v2", "intfloat"},
    WellKnown{"gte-small", "thenlper"},
    WellKnown{"gte-base", "thenlper"},
    WellKnown{"gte-large", "thenlper"},
    WellKnown{"mxbai-embed-large-v1", "mixedbread-ai"},
    WellKnown{"ms-marco-MiniLM-L6-v2", "cross-encoder"},
};

}  // namespace

std::optional<std::string_view> organisation_of(std::string_view name) {
  const auto* found = std::ranges::find(kWellKnown, name, &WellKnown::name);
  if (found == kWellKnown.end()) return std::nullopt;
  return found->owner;
}

}  // namespace summand::io
