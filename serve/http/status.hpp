#pragma once

/// The statuses that the server answers by itself.
namespace summand::serve::http::status {

inline constexpr unsigned kBadRequest = 400;
inline constexpr unsigned kTimeout = 408;
inline constexpr unsigned kTooLarge = 413;
inline constexpr unsigned kExpectationFailed = 417;
inline constexpr unsigned kFieldsTooLarge = 431;
inline constexpr unsigned kInternalError = 500;
inline constexpr unsigned kUnavailable = 503;

}  // namespace summand::serve::http::status
