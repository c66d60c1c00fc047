#include "lab/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "lab/ledger/claims.hpp"

namespace summand::lab {

namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (auto claims : {claims_of_three_embeddings, claims_of_ten_questions, claims_of_position_table_notebook,
                      claims_of_sum_or_concatenate, claims_of_sinusoid_derived, claims_beyond_the_documents}) {
    std::ranges::move(claims(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const std::vector<Claim>& ledger() {
  static const std::vector<Claim> all = all_claims();
  return all;
}

const Claim& claim(std::string_view id) {
  const auto found = std::ranges::find(ledger(), id, &Claim::id);
  if (found == ledger().end()) throw std::out_of_range(fmt::format("the ledger has no claim '{}'", id));
  return *found;
}

}  // namespace summand::lab
