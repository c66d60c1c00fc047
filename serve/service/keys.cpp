#include "serve/service/keys.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"

namespace summand::serve {

namespace {

constexpr size_t kShortest = 8;
constexpr size_t kMostBytes = size_t{1} << 20;

std::array<unsigned char, 32> sha256(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return hash;
}

/// @return nothing if it is no positive number
std::optional<double> positive(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> Allowance::take(double amount, Clock::time_point now) {
  if (!most_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const double a_second = *most_ / 60;
  if (filled_) left_ = std::min(*most_, left_ + a_second * std::chrono::duration<double>(now - *filled_).count());
  filled_ = now;
  amount = std::min(amount, *most_);
  // What rounding takes from a full allowance is not missing.
  if (left_ + 1e-9 * *most_ < amount) return (amount - left_) / a_second;
  left_ -= amount;
  return std::nullopt;
}

void Allowance::give_back(double amount) {
  if (!most_) return;
  const std::lock_guard lock(mutex_);
  left_ = std::min(*most_, left_ + amount);
}

Key::Key(std::string name, std::string_view secret, const KeyLimits& limits)
    : name_(std::move(name)), hash_(sha256(secret)), requests_(limits.requests), tokens_(limits.tokens) {}

void Keys::add(std::string name, std::string_view secret, const KeyLimits& limits) {
  if (secret.size() < kShortest) {
    throw UsageError("key " + printable(name),
                     fmt::format("expected at least {} bytes, got {}", kShortest, secret.size()));
  }
  auto key = std::make_unique<Key>(std::move(name), secret, limits);
  for (const auto& other : keys_) {
    if (other->hash_ == key->hash_) {
      throw UsageError("key " + printable(key->name()),
                       "expected another key than that of " + printable(other->name()));
    }
  }
  keys_.push_back(std::move(key));
}

void Keys::read(const std::filesystem::path& file) {
  const size_t before = keys_.size();
  std::istringstream lines(read_file(file, kMostBytes));
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string name, secret, limit;
    if (!(words >> name) || name.front() == '#') continue;
    const auto where = fmt::format("{}:{}", file.string(), number);
    if (!(words >> secret)) throw UsageError(where, "expected a name and a key, got the name alone");
    KeyLimits limits;
    while (words >> limit) {
      const auto equals = std::min(limit.find('='), limit.size());
      const auto amount = positive(std::string_view(limit).substr(std::min(equals + 1, limit.size())));
      const auto what = limit.substr(0, equals);
      if (!amount || (what != "requests" && what != "tokens")) {
        throw UsageError(where, "expected requests=N or tokens=N, got '" + printable(limit) + "'");
      }
      (what == "requests" ? limits.requests : limits.tokens) = amount;
    }
    add(name, secret, limits);
  }
  if (keys_.size() == before) throw UsageError(path_text(file), "expected a line NAME KEY, got none");
}

Key* Keys::find(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  const bool is_bearer = authorization.size() > kScheme.size() &&
                         std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), [](char a, char b) {
                           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + ('a' - 'A')) : b);
                         });
  const auto hash = sha256(is_bearer ? authorization.substr(kScheme.size()) : std::string_view());
  Key* found = nullptr;
  for (const auto& key : keys_) {
    if (CRYPTO_memcmp(hash.data(), key->hash_.data(), hash.size()) == 0) found = key.get();
  }
  return found;
}

}  // namespace summand::serve
