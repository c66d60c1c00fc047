#pragma once

#include <string_view>

namespace summand::lab {

/// The files of documents/ as embed_files.py put them into the program: one JSON array.
[[nodiscard]] std::string_view ledger_files();

/// study_answers.json, its places filled with the numbers of the studies.
[[nodiscard]] std::string_view study_file();

}  // namespace summand::lab
