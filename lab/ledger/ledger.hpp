#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/ledger/study_answers.hpp"

namespace summand::lab {

/// One of the five documents that summand was founded on, or what lies beyond them.
struct Document {
  std::string name;  ///< "000" … "004"; kBeyondTheDocuments
  LocalizedText title;
  std::string address;  ///< where it is read; empty where it was never published
};

/// Of claims that are the laboratory's own: no document has a sentence that makes them.
inline constexpr const char* kBeyondTheDocuments = "own";

/// A document's own sentence, in its own language; empty beyond the documents.
struct Quote {
  std::string text;
  size_t line = 0;  ///< of the document's file, counted from 1
};

/// Where a claim's verdict comes from.
enum class Evidence {
  checkpoint,        ///< measured on the checkpoint, or in closed form
  trained_controls,  ///< needs models trained from scratch: summand's study
};

/// One row of the ledger: an entry of documents/NAME.json, which leaves out what is empty.
///
/// `published` keeps four kinds of statement apart. What we read in the source has the source's name; what we read in
/// an abstract alone has "abstract:"; what we computed has "computed:"; what a founding document's picture shows has
/// "the document's own figure".
struct Claim {
  std::string id;        ///< "E3"
  std::string document;  ///< "002"
  Quote quote;
  LocalizedText brief;      ///< what it says, in at most ten words: for a line
  LocalizedText claim;      ///< what it says, in one sentence
  LocalizedText test;       ///< what is computed to tell, in one sentence
  LocalizedText published;  ///< what the literature reports, with its source; empty where nothing was found
  LocalizedText
      worked_out{};  ///< what we computed apart from any run, for whoever reads the published figures; mostly empty
  Evidence evidence = Evidence::checkpoint;
  LocalizedText
      so_far{};  ///< of a claim that only trained models can answer: what comes with summand and bears on it, how far
  const StudyAnswer* study = nullptr;  ///< what summand's study says of it; null where it says nothing
};

[[nodiscard]] const std::vector<Document>& documents();

/// Every claim of the documents, in their order: 0.1 … 0.11, Q1 … Q10, E1 … E11, 3.1 … 3.5, 4.1 … 4.11; then those
/// beyond them: X1 … X4.
[[nodiscard]] const std::vector<Claim>& ledger();

/// What the report sets the experiments against: documents() and ledger().
struct Ledger {
  std::span<const Document> documents;
  std::span<const Claim> claims;
};

/// @throws std::out_of_range naming the id, if there is none
[[nodiscard]] const Claim& claim(std::string_view id);

}  // namespace summand::lab
