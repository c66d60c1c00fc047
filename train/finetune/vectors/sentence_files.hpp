#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/heads.hpp"
#include "model/sentence_modules.hpp"

namespace summand::train {

/// The files that make a BERT a model of sentence-transformers, besides weights: modules.json,
/// sentence_bert_config.json, config_sentence_transformers.json and each module's config.json. Names of classes and
/// keys are those that versions 2 to 6 all read; only several poolings in an order of their own need version 5.4.
/// @param hidden  the model's width
/// @param pooler  absent: sentence-transformers is told not to draw one
/// @return (name, content)
[[nodiscard]] std::vector<std::pair<std::string, std::string>> sentence_files(const model::SentenceModules& modules,
                                                                              size_t hidden, model::Pooler pooler);

}  // namespace summand::train
