#pragma once

#include <string_view>

namespace summand::lab {

// corpora/english.jsonl and corpora/chinese.jsonl, as embed_files.py put them into the program.
[[nodiscard]] std::string_view english_corpus();
[[nodiscard]] std::string_view chinese_corpus();

}  // namespace summand::lab
