#pragma once

#include <vector>

#include "lab/ledger/ledger.hpp"

namespace summand::lab {

// The rows of the ledger, document by document. `published` keeps four kinds of statement apart: what was read in the
// source is printed with the source's name; what was read in an abstract alone says "abstract:"; what we computed
// ourselves says "computed:"; what a founding document's picture shows says "the document's own figure".

[[nodiscard]] std::vector<Claim> claims_of_three_embeddings();         ///< 000: 0.1 … 0.11
[[nodiscard]] std::vector<Claim> claims_of_ten_questions();            ///< 001: Q1 … Q10
[[nodiscard]] std::vector<Claim> claims_of_position_table_notebook();  ///< 002: E1 … E11
[[nodiscard]] std::vector<Claim> claims_of_sum_or_concatenate();       ///< 003: 3.1 … 3.5
[[nodiscard]] std::vector<Claim> claims_of_sinusoid_derived();         ///< 004: 4.1 … 4.11
[[nodiscard]] std::vector<Claim> claims_beyond_the_documents();        ///< X1 … X4

}  // namespace summand::lab
