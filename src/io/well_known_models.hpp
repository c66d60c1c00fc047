#pragma once

#include <optional>
#include <string_view>

namespace summand::io {

/// Who keeps a model of the hub that is often called by its name alone: "google-bert" of "bert-base-uncased". The
/// models that README.md lists, and their kin of the same owners.
/// @param name  without an organisation; case counts
[[nodiscard]] std::optional<std::string_view> organisation_of(std::string_view name);

}  // namespace summand::io
