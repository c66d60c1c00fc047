// Prints the ledger as JSON, for tests that hold it against the documents themselves.
#include <iostream>
#include <nlohmann/json.hpp>

#include "lab/ledger/ledger.hpp"

int main() {
  auto rows = nlohmann::json::array();
  for (const auto& claim : summand::lab::ledger()) {
    rows.push_back(
        {{"id", claim.id}, {"document", claim.document}, {"quote", claim.quote.text}, {"line", claim.quote.line}});
  }
  std::cout << rows.dump(1) << "\n";
  return 0;
}
