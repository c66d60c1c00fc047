// summand-serve: serves models over HTTP. `summand serve` runs it.
#include <fmt/format.h>
#include <pthread.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "api/heads/trained_reading.hpp"
#include "api/options/option_names.hpp"
#include "base/error.hpp"
#include "base/platform.hpp"
#include "serve/http/server.hpp"
#include "serve/live/laboratory.hpp"
#include "serve/options.hpp"
#include "serve/routes/router.hpp"
#include "serve/service/service.hpp"
#include "summand/version.hpp"
#include "terminal/command_line.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/run_program.hpp"

namespace {

using namespace summand;

serve::Keys keys_of(const serve::Options& options) {
  serve::Keys keys;
  const char* const from_environment = std::getenv("SUMMAND_API_KEY");
  if (options.api_key) keys.add("--api-key", *options.api_key);
  if (from_environment != nullptr) keys.add("SUMMAND_API_KEY", from_environment);
  if (!options.key_file.empty()) keys.read(options.key_file);
  return keys;
}

serve::ServedModels load(const serve::Options& options) {
  LoadOptions loading{
      .threads = options.threads,
      .precision = options.precision == "model" ? Precision::of_checkpoint : api::precision_named(options.precision)};
  if (!options.cache.empty()) loading.cache = options.cache;
  serve::ServedModels models;
  for (const auto& text : options.models) {
    const auto named = serve::named_model(text);
    const auto& others = models.all();
    if (std::ranges::any_of(others, [&](const auto& one) { return one->name() == named.name; })) {
      throw UsageError("--model", "expected names that differ, got '" + printable(named.name) + "' twice");
    }
    auto model =
        std::make_unique<serve::ServedModel>(named.name, named.directory, loading, options.store_mebibytes << 20);
    for (const auto& notice : model->model().notices()) terminal::print_to_stderr("{}", notice);
    if (model->width() > 0 && !model->model().checkpoint().sentence.from_directory) {
      terminal::print_to_stderr(
          "{}: the model has no modules.json: mean pooling, vectors normalised unless a request says otherwise",
          model->name());
    }
    if (const std::string trained = api::trained_options(model->model()); !trained.empty()) {
      terminal::print_to_stderr(
          "{}: texts are read as the model was trained, unless a request says "
          "truncation_direction: {}",
          printable(model->name()), trained);
    }
    models.add(std::move(model));
  }
  return models;
}

serve::live::LaboratoryOptions laboratory_options(const serve::Options& options) {
  serve::live::LaboratoryOptions laboratory{.models = {},
                                            .threads = options.threads,
                                            .program = program_path().parent_path() / "summand-lab",
                                            .reports = options.reports};
  for (const auto& text : options.models) laboratory.models.push_back(serve::named_model(text));
  return laboratory;
}

constexpr int kOver = SIGUSR1;  // to the thread that waits for signals: there is nothing left to end

/// Those that end the server, but for what its starter told it to ignore, as nohup does with SIGHUP.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    sigaddset(&signals, signal);
  }
  sigaddset(&signals, kOver);
  return signals;
}

/// Before there is a server, a signal ends the program. Then the first one drains, and the second stops.
class SignalThread {
 public:
  /// Blocks the signals, for this thread and those that it starts.
  SignalThread() : signals_(ending_signals()) {
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { wait(); });
  }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;
  ~SignalThread() {
    pthread_kill(thread_.native_handle(), kOver);
    thread_.join();
  }

  /// Forgets what is watched when it goes.
  struct Watching {
    SignalThread& thread;
    explicit Watching(SignalThread& of) : thread(of) {}
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;
    ~Watching() {
      const std::lock_guard lock(thread.mutex_);
      thread.server_ = nullptr;
      thread.is_over_ = true;
    }
  };
  /// @param server, service  outlive the result
  [[nodiscard]] Watching watch(serve::http::Server& server, serve::Service& service, std::chrono::seconds drain) {
    const std::lock_guard lock(mutex_);
    server_ = &server;
    service_ = &service;
    drain_ = drain;
    return Watching(*this);
  }

 private:
  void wait() {
    bool drains = false;
    int signal = 0;
    while (sigwait(&signals_, &signal) == 0 && signal != kOver) {
      const std::lock_guard lock(mutex_);
      if (is_over_) continue;
      if (!server_) std::_Exit(128 + signal);  // as a shell says it
      if (drains) {
        server_->stop();
        continue;
      }
      drains = true;
      service_->draining = true;
      const auto left = server_->counts().exchanges;
      server_->finish(drain_);
      service_->log.say(fmt::format("draining: new requests are refused, {} to answer", left));
    }
  }

  const sigset_t signals_;
  std::mutex mutex_;
  serve::http::Server* server_ = nullptr;
  serve::Service* service_ = nullptr;
  std::chrono::seconds drain_{};
  bool is_over_ = false;
  std::thread thread_;
};

void run(serve::Options& options) {
  SignalThread signal_thread;  // before any other thread, so that none but it gets its signals
  std::signal(SIGPIPE, SIG_IGN);

  const auto notice = serve::set_connections(options);
  if (!notice.empty()) terminal::print_to_stderr("{}", notice);
  auto server_options = serve::server_options(options);
  auto keys = keys_of(options);
  const auto no_page = serve::no_page(options, server_options, !keys.empty());  // before models are loaded in vain
  serve::Service service(load(options), std::move(keys), serve::service_options(options), serve::log_options(options));
  server_options.refuse_early = [&service](const auto& head) { return serve::refuse_early(service, head); };
  serve::http::Server server(
      server_options, [&service](auto exchange) { serve::route(service, exchange); }, serve::http_error);
  service.no_page = no_page;
  if (service.no_page.empty()) {
    try {
      service.laboratory = std::make_unique<serve::live::Laboratory>(laboratory_options(options));
    } catch (const IoError& error) {
      if (options.page == "on") throw;
      service.no_page = std::string("there is no live page: ") + error.what();
    }
  }
  service.connections = [&server] { return server.counts(); };
  const auto watching = signal_thread.watch(server, service, std::chrono::seconds(options.drain_seconds));
  std::string first;
  for (const auto& address : server.addresses()) {
    const char* const scheme = !address.unix_socket.empty() ? "" : options.key.empty() ? "http://" : "https://";
    const auto text = scheme + serve::http::address_text(address);
    terminal::print_to_stderr("summand {} serves {} at {}", version(), service.models.names(), text);
    if (first.empty()) first = text;
  }
  terminal::print_to_stderr("{}; {}", service.keys.empty() ? "no key is needed" : "requests need a key",
                            service.laboratory ? "the live page: " + first + "/" : service.no_page);
  server.run();
  service.connections = {};
}

}  // namespace

int main(int argc, char** argv) {
  serve::Options options;
  CLI::App program(
      "Serves models over HTTP: embeddings, labels, rankings, tokens, in the forms that clients of\n"
      "text-embeddings-inference, OpenAI and Cohere know.\n"
      "Example: summand serve --model summand-mini-sentences",
      "summand serve");
  serve::add_options(program, options);
  terminal::add_option_checks(program);
  const auto work = [&] {
    program.parse(argc, argv);
    run(options);
    return 0;
  };
  return terminal::run_program(program, work, [&](const CLI::ParseError& error) {
    const bool answered = dynamic_cast<const CLI::Success*>(&error) != nullptr;  // --help
    return answered ? std::string() : terminal::complaint(program, error);
  });
}
