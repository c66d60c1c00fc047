#pragma once

#include <string>

namespace summand::api {

/// A setting that affects results, by the name of its option: ("precision", "int8").
struct Setting {
  std::string name;
  std::string value;

  bool operator==(const Setting&) const = default;
};

}  // namespace summand::api
