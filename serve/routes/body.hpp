#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "serve/routes/refused.hpp"

namespace summand::serve {

/// The JSON object of a request, field by field. A field that is null counts as missing.
class Body {
 public:
  /// @param bytes  UTF-8
  /// @throws Refused if they are no JSON object, or nested deeper than any route takes
  explicit Body(std::string_view bytes);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  /// A field as it is, for a route to take apart; null if it is missing. Strings in it may be moved from.
  [[nodiscard]] nlohmann::json* find(const std::string& name);

  // A field of one type. @return nothing if it is missing; @throws Refused naming it if it has another type or value

  [[nodiscard]] std::optional<bool> boolean(const std::string& name);
  [[nodiscard]] std::optional<std::string> string(const std::string& name);
  [[nodiscard]] std::optional<size_t> count(const std::string& name, size_t least, size_t most);
  [[nodiscard]] std::optional<std::vector<std::string>> strings(const std::string& name);

  /// An object in a field, whose fields are then read as the body's own. Empty if the field is missing.
  [[nodiscard]] Body object(const std::string& name);

  /// Fields that nobody asked for.
  [[nodiscard]] std::vector<std::string> ignored() const;

 private:
  Body(nlohmann::json* fields, std::string path) : fields_(fields), path_(std::move(path)) {}
  [[nodiscard]] std::string path_to(const std::string& name) const;

  nlohmann::json own_;
  nlohmann::json* fields_ = nullptr;
  std::string path_;  // of the object in the body: "" or "parameters."
  std::set<std::string> asked_;
};

/// "a string", "an array", …: what a message says that it got.
[[nodiscard]] std::string kind_of(const nlohmann::json& value);

}  // namespace summand::serve
