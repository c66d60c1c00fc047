#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lab/subject/corpus.hpp"
#include "lab/subject/subject.hpp"
#include "text/input_record.hpp"

namespace summand::lab {

/// As read_corpus() without fields, of a file whose texts have other names than text and text_pair.
[[nodiscard]] Corpus read_corpus(const api::LoadedModel& model, const std::optional<std::filesystem::path>& asked,
                                 const text::InputFields& fields);

/// As load_subject() without fields, with such a corpus.
[[nodiscard]] Subject load_subject(const std::string& model, const std::optional<std::filesystem::path>& corpus,
                                   const text::InputFields& fields, int threads);

/// Of a command line: the options that name these fields, " --corpus-field sentence1"; empty where none is named.
[[nodiscard]] std::string field_options(const text::InputFields& fields);

/// @throws UsageError if fields are named without a file that has them: a built-in corpus has its own
void check_fields(const std::optional<std::filesystem::path>& corpus, const text::InputFields& fields);

}  // namespace summand::lab
