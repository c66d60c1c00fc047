#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand::serve {

/// What a key may use in a minute; nothing: any amount.
struct KeyLimits {
  std::optional<double> requests = {};
  std::optional<double> tokens = {};
};

/// An allowance that fills up evenly and holds a minute's worth.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Allowance(std::optional<double> a_minute) : most_(a_minute), left_(a_minute.value_or(0)) {}

  /// Takes an amount. What is larger than a minute's worth takes all of it.
  /// @return nothing if it was there, else the seconds until it will be
  [[nodiscard]] std::optional<double> take(double amount, Clock::time_point now = Clock::now());
  /// Puts back what was taken.
  void give_back(double amount);

 private:
  std::mutex mutex_;
  std::optional<double> most_;
  double left_;
  std::optional<Clock::time_point> filled_ = {};
};

/// A client that may use the server.
class Key {
 public:
  Key(std::string name, std::string_view secret, const KeyLimits& limits);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Allowance& requests() { return requests_; }
  [[nodiscard]] Allowance& tokens() { return tokens_; }

 private:
  friend class Keys;

  std::string name_;
  std::array<unsigned char, 32> hash_;  // SHA-256 of the secret
  Allowance requests_;
  Allowance tokens_;
};

/// The keys of a server. Thread-safety: const members may be called from any thread.
class Keys {
 public:
  /// @throws UsageError if the secret is shorter than 8 bytes or another key's
  void add(std::string name, std::string_view secret, const KeyLimits& limits = {});
  /// Adds the keys of a file: a line each, "NAME SECRET", then "requests=N" and "tokens=N" a minute where they are
  /// limited; lines that begin with # are remarks.
  /// @throws IoError if it cannot be read, UsageError naming the line that is wrong
  void read(const std::filesystem::path& file);

  /// Whether none was given: everybody may use the server.
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  /// Compares with every key, in a time that does not depend on which one it is or how much of one is right.
  /// @param authorization  the header: "Bearer SECRET"
  /// @return null if it is none of them
  [[nodiscard]] Key* find(std::string_view authorization) const;

 private:
  std::vector<std::unique_ptr<Key>> keys_;
};

}  // namespace summand::serve
