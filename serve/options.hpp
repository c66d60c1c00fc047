#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "serve/http/server.hpp"
#include "serve/live/laboratory.hpp"
#include "serve/service/request_log.hpp"
#include "serve/service/service.hpp"
#include "summand/model.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace summand::serve {

/// The command line of `summand serve`.
struct Options {
  std::vector<std::string> models;  ///< "DIR" or "NAME=DIR"
  std::vector<std::string> listen{"127.0.0.1:8080"};
  std::string certificate, key;
  std::optional<std::string> api_key;  ///< of everybody; also the environment's SUMMAND_API_KEY
  std::string key_file;                ///< Keys::read
  std::string precision = "model";
  int threads = 0;
  std::string cache;
  size_t store_mebibytes = 64;
  size_t batch_milliseconds = 50;
  size_t quick_milliseconds = 2'000;
  size_t bulk_milliseconds = 60'000;
  size_t drain_seconds = 30;
  std::string log = "all";
  bool log_bodies = false;
  std::string page = "auto";
  std::string reports;
  bool no_auto_truncate = false;
  bool strict_model_names = false;
  size_t most_texts = 100'000;
  http::Limits limits = {};
  std::optional<size_t> connections;  ///< if not given, as many as limits say and the system allows
  size_t body_mebibytes = 32;
  size_t answer_mebibytes = 256;
  size_t idle_seconds = 75, header_seconds = 10, body_seconds = 60, write_seconds = 60;
};

/// Adds the options to the program.
void add_options(CLI::App& program, Options& options);

/// @param text  "NAME=DIR", or "DIR": the name is then the folder's
/// @throws UsageError if one of the two is missing
[[nodiscard]] live::NamedModel named_model(const std::string& text);

/// Takes over the number of connections.
/// @return a line where fewer are allowed than are usual; empty: as many as asked for
/// @throws UsageError if more are asked for than the system allows
[[nodiscard]] std::string set_connections(Options& options);

[[nodiscard]] http::ServerOptions server_options(const Options& options);
[[nodiscard]] ServiceOptions service_options(const Options& options);
[[nodiscard]] RequestLog::Options log_options(const Options& options);

/// Why there is no live page, in a line; empty if there is. It has no keys: by itself it is there where no key is
/// needed and nobody but this machine can reach it.
/// @param has_keys  whether requests need one
/// @throws UsageError if it is asked for where requests need a key
[[nodiscard]] std::string no_page(const Options& options, const http::ServerOptions& server, bool has_keys);

}  // namespace summand::serve
