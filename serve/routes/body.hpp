#pragma once

#include <cstddef>
#include <memory>
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

  /// @throws Refused naming a field that has to be there, and those that are
  [[noreturn]] void refuse_missing(const std::string& name) const;

  /// A field's path in the whole body, for messages: "parameters.truncate".
  [[nodiscard]] std::string path_to(const std::string& name) const;
  /// Paths of the fields that nobody asked for, of objects in it too.
  [[nodiscard]] std::vector<std::string> ignored() const;

 private:
  using Paths = std::set<std::string>;
  Body(nlohmann::json* fields, std::string path, std::shared_ptr<Paths> asked)
      : fields_(fields), path_(std::move(path)), asked_(std::move(asked)) {}

  nlohmann::json own_;
  nlohmann::json* fields_ = nullptr;
  std::string path_;                                          // of the object in the body: "" or "parameters."
  std::shared_ptr<Paths> asked_ = std::make_shared<Paths>();  // shared with the objects in it
};

/// "a string", "an array", …: what a message says that it got.
[[nodiscard]] std::string kind_of(const nlohmann::json& value);

}  // namespace summand::serve
