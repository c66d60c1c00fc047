#include "serve/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "serve/http/open_files.hpp"
#include "terminal/option_validators.hpp"

namespace summand::serve {

void add_options(CLI::App& program, Options& options) {
  using terminal::one_of;
  using terminal::whole_number;
  program
      .add_option(
          "--model", options.models,
          "A checkpoint directory, a bundled model's name, or a name in the hub cache; NAME=DIR gives it another "
          "name. Repeat it for several models")
      ->required()
      ->allow_extra_args(false)
      ->option_text("[NAME=]DIR");
  program
      .add_option(
          "--listen", options.listen,
          "Where to listen: ADDRESS:PORT, PORT (of 127.0.0.1) or unix:PATH; port 0: any free one. May be repeated")
      ->allow_extra_args(false)
      ->option_text("ADDRESS=127.0.0.1:8080");
  program.add_option("--tls-certificate", options.certificate, "Serve TLS: the certificate chain, PEM")
      ->option_text("FILE");
  program.add_option("--tls-key", options.key, "Its private key, PEM")->option_text("FILE");
  program
      .add_option("--api-key", options.api_key,
                  "Only answer requests with this key (Authorization: Bearer). Others can read a command line: the "
                  "environment variable SUMMAND_API_KEY and --api-keys are safer")
      ->option_text("KEY");
  program
      .add_option("--api-keys", options.key_file,
                  "A file of keys, a line each: NAME KEY, then requests=N and tokens=N a minute where they are limited")
      ->option_text("FILE");
  program
      .add_option(
          "--precision", options.precision,
          "Number format of the encoder's products, as for `summand embed`: model (the checkpoint's), fp32, bf16, "
          "fp16, int8, auto")
      ->check(one_of({"model", "fp32", "bf16", "fp16", "int8", "auto"}))
      ->option_text("P=model");
  program
      .add_option("--threads", options.threads, "Threads of a batch; 0: as many as the quota and the affinity allow")
      ->check(whole_number(0, 1024))
      ->option_text("N=0");
  program
      .add_option("--cache", options.cache, "Keep the packed weights in this folder, so that the next start maps them")
      ->option_text("DIR");
  program
      .add_option("--store", options.store_mebibytes,
                  "Memory for results of earlier texts, MiB for each model; 0: none. A stored result has the same bits")
      ->option_text("MIB=64");
  program.add_option("--batch-time", options.batch_milliseconds, "A batch takes about so long, in milliseconds")
      ->check(whole_number(1, 60'000))
      ->option_text("MS=50");
  program
      .add_option("--quick-wait", options.quick_milliseconds,
                  "Refuse a small request (half a batch or less) with 429 where it would wait longer, in milliseconds")
      ->check(whole_number(1, 3'600'000))
      ->option_text("MS=2000");
  program.add_option("--wait", options.bulk_milliseconds, "Likewise any other request")
      ->check(whole_number(1, 3'600'000))
      ->option_text("MS=60000");
  program.add_option("--max-texts", options.most_texts, "Texts in a request")
      ->check(whole_number(1))
      ->option_text("N=100000");
  program.add_option("--max-body", options.body_mebibytes, "Size of a request's body, MiB")
      ->check(whole_number(1, 1024))
      ->option_text("MIB=32");
  program.add_option("--max-answer", options.answer_mebibytes, "Size of an answer, MiB, about")
      ->check(whole_number(1, 65'536))
      ->option_text("MIB=256");
  program.add_option("--max-connections", options.connections, "Connections at once")
      ->check(whole_number(1, 1'000'000))
      ->option_text("N=2048");
  program.add_option("--idle-time", options.idle_seconds, "Close a connection without a request after so many seconds")
      ->check(whole_number(1))
      ->option_text("S=75");
  program.add_option("--header-time", options.header_seconds, "Seconds a client may take to send a request's header")
      ->check(whole_number(1))
      ->option_text("S=10");
  program.add_option("--body-time", options.body_seconds, "Seconds to send its body")
      ->check(whole_number(1))
      ->option_text("S=60");
  program.add_option("--write-time", options.write_seconds, "Seconds to take the answer")
      ->check(whole_number(1))
      ->option_text("S=60");
  program
      .add_option("--drain-time", options.drain_seconds,
                  "On SIGTERM, refuse new requests and finish those that were taken, for at most so many seconds")
      ->check(whole_number(0, 86'400))
      ->option_text("S=30");
  program
      .add_option(
          "--page", options.page,
          "The live page, at /: auto is on where no key is needed and only this machine is listened to, and answers "
          "to names of this machine alone; on answers to all")
      ->check(one_of({"auto", "on", "off"}))
      ->option_text("WHICH=auto");
  program
      .add_option(
          "--reports", options.reports,
          "Keep the reports of claims that are run from the page in this folder; they go with the server otherwise")
      ->option_text("DIR");
  program.add_flag("--no-auto-truncate", options.no_auto_truncate,
                   "Refuse a text that is too long unless its request says \"truncate\": true");
  program.add_flag("--strict-model-names", options.strict_model_names,
                   "Refuse a request that names another model. Without it the only model answers to every name");
  program.add_option("--log", options.log, "Requests to log on standard error, a line of JSON each: all, faults, none")
      ->check(one_of({"all", "faults", "none"}))
      ->option_text("WHICH=all");
  program.add_flag("--log-bodies", options.log_bodies, "Log the bodies of requests too: people's texts");
}

live::NamedModel named_model(const std::string& text) {
  const auto equals = text.find('=');
  const bool is_named = equals != std::string::npos && text.find('/') > equals;
  live::NamedModel model{.name = is_named ? text.substr(0, equals) : "",
                         .directory = is_named ? text.substr(equals + 1) : text};
  if (!is_named) {
    const auto path = std::filesystem::path(text);
    const auto last = path.has_filename() ? path.filename() : path.parent_path().filename();
    // A name of the hub keeps its organisation.
    model.name = std::filesystem::exists(path) ? last.string() : text;
  }
  if (model.name.empty() || model.directory.empty()) {
    throw UsageError("--model", "expected DIR or NAME=DIR, got '" + printable(text) + "'");
  }
  return model;
}

std::string set_connections(Options& options) {
  const size_t most = http::most_connections();
  const size_t asked = options.connections.value_or(options.limits.connections);
  options.limits.connections = std::min(asked, most);
  if (asked <= most) return "";
  if (options.connections || most == 0) {
    throw UsageError(
        "--max-connections",
        fmt::format("expected at most {}, as the limit of open files allows (ulimit -Hn), got {}", most, asked));
  }
  return fmt::format("--max-connections is {} rather than {}, as the limit of open files allows (ulimit -Hn)", most,
                     asked);
}

http::ServerOptions server_options(const Options& options) {
  http::ServerOptions server{.addresses = {}, .tls = {}, .limits = options.limits};
  for (const auto& one : options.listen) server.addresses.push_back(http::Address::parse(one));
  if (options.certificate.empty() != options.key.empty()) {
    throw UsageError("--tls-certificate", "expected --tls-key with it, and the other way round, got one alone");
  }
  if (!options.key.empty()) server.tls = http::Tls{.certificate = options.certificate, .key = options.key};
  server.limits.body_bytes = options.body_mebibytes << 20;
  using std::chrono::seconds;
  server.limits.idle = seconds(options.idle_seconds);
  server.limits.header_time = seconds(options.header_seconds);
  server.limits.body_time = seconds(options.body_seconds);
  server.limits.write_time = seconds(options.write_seconds);
  return server;
}

ServiceOptions service_options(const Options& options) {
  using std::chrono::milliseconds;
  return {.auto_truncate = !options.no_auto_truncate,
          .any_model_name = !options.strict_model_names,
          .most_texts = options.most_texts,
          .most_answer_bytes = options.answer_mebibytes << 20,
          .most_connections = options.limits.connections,
          .private_page = options.page != "on",
          .worker = {.batch = milliseconds(options.batch_milliseconds),
                     .most_quick = milliseconds(options.quick_milliseconds),
                     .most_bulk = milliseconds(options.bulk_milliseconds)}};
}

RequestLog::Options log_options(const Options& options) {
  using Which = RequestLog::Which;
  return {.which = options.log == "all"      ? Which::all
                   : options.log == "faults" ? Which::faults
                                             : Which::none,
          .bodies = options.log_bodies};
}

std::string no_page(const Options& options, const http::ServerOptions& server, bool has_keys) {
  if (options.page == "on" && has_keys) {
    throw UsageError("--page", "expected no keys, which a browser does not send; got keys and the page");
  }
  if (options.page == "on") return "";
  if (options.page == "off") return "there is no live page (--page off)";
  if (has_keys) return "there is no live page where keys are needed";
  const bool is_private = std::ranges::all_of(server.addresses, [](const http::Address& address) {
    return address.host.starts_with("127.") || address.host == "::1";  // a Unix socket is for a proxy
  });
  return is_private ? "" : "there is no live page where others can reach the server, unless --page on";
}

}  // namespace summand::serve
