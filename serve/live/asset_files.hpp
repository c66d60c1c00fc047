#pragma once

#include <span>
#include <string_view>

namespace summand::serve::live {

/// A file that was put into the program.
struct AssetFile {
  std::string_view name;
  std::string_view text;
};

/// Those of assets/, and what the report's page shares with this one.
[[nodiscard]] std::span<const AssetFile> asset_files();

}  // namespace summand::serve::live
