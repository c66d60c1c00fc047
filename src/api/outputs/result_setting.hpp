#pragma once

#include <string>

namespace summand::api {

/// A setting that affects results, by the name of its option: ("precision", "int8").
struct ResultSetting {
  std::string name;
  std::string value;

  bool operator==(const ResultSetting&) const = default;
};

}  // namespace summand::api
