#pragma once

#include <string>

namespace summand::api {

/// Something that changes a result, under the name that its option has: ("precision", "int8").
struct Setting {
  std::string name;
  std::string value;

  bool operator==(const Setting&) const = default;
};

}  // namespace summand::api
