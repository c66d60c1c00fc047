// Prints the ledger's claims and documents as JSON, for tests that hold them against the documents themselves.
#include <iostream>
#include <nlohmann/json.hpp>

#include "lab/ledger/ledger.hpp"

int main() {
  auto rows = nlohmann::json::array();
  for (const auto& claim : summand::lab::ledger()) {
    rows.push_back({{"id", claim.id},
                    {"document", claim.document},
                    {"quote", claim.quote.text},
                    {"line", claim.quote.line},
                    {"so_far", {claim.so_far.en, claim.so_far.zh}}});
  }
  auto documents = nlohmann::json::array();
  for (const auto& document : summand::lab::documents()) documents.push_back(document.address);
  std::cout << nlohmann::json{{"claims", rows}, {"addresses", documents}}.dump(1) << "\n";
  return 0;
}
