#pragma once

#include <string>

namespace summand::lab {

/// A text in the report's two languages.
struct Words {
  std::string en;
  std::string zh;

  bool operator==(const Words&) const = default;
};

}  // namespace summand::lab
