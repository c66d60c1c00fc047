// A byte that chooses a model, one that chooses a route, then the body of a request to it: what comes back is JSON, or
// a refusal of one line, and never a fault of ours.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "io/safetensors_writer.hpp"
#include "serve/live/laboratory.hpp"
#include "serve/routes/router.hpp"
#include "serve/service/service.hpp"
#include "support/random_model.hpp"
#include "target.hpp"

using namespace summand;
using nlohmann::json;

namespace {

/// In this order: seeds name a route by its number.
constexpr auto kPaths = std::to_array<std::string_view>(
    {"/embed", "/embed_all", "/similarity", "/predict", "/rerank", "/fill_mask", "/tag", "/hidden", "/tokenize",
     "/decode", "/", "/invocations", "/v1/embeddings", "/embeddings", "/v1/rerank", "/v2/rerank", "/live/look"});
constexpr std::string_view kLeftOut = "/live/claims";  // starts a process
constexpr size_t kMostTexts = 40;
constexpr int64_t kPositions = 24;

/// A model of each task.
struct Kind {
  std::optional<model::Head> head = {};  // none: sentence vectors
  size_t labels = 2;
};
constexpr std::array<Kind, 5> kKinds{{{},
                                      {.head = model::Head::sequence_classification, .labels = 3},
                                      {.head = model::Head::sequence_classification, .labels = 1},
                                      {.head = model::Head::masked_language},
                                      {.head = model::Head::token_classification, .labels = 3}}};

/// A checkpoint with drawn weights, whose words are letters.
class Checkpoint {
 public:
  explicit Checkpoint(const Kind& kind) {
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    int64_t size = std::ranges::count(vocabulary, '\n');
    for (char letter = 'a'; letter <= 'z'; ++letter, size += 2) vocabulary += {letter, '\n', '#', '#', letter, '\n'};
    auto config = test::config_of({.positions = kPositions, .vocabulary = size});
    config.labels = model::numbered_labels(kind.labels);
    // Both classifiers have the same tensors.
    if (kind.head == model::Head::token_classification) config.architectures = {"BertForTokenClassification"};
    model::ModelParts parts{.pooler = model::Pooler::present};
    if (kind.head) parts.heads = {*kind.head};
    write("vocab.txt", vocabulary);
    write("config.json", model::to_json(config));
    write("config_sentence_transformers.json", R"({"prompts": {"query": "q: "}})");
    io::write_safetensors(folder_.path() / "model.safetensors", test::random_weights(config, parts, 1));
  }
  [[nodiscard]] std::string name() const { return folder_.path().string(); }

 private:
  void write(const char* name, std::string_view content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
  }

  fuzz::Folder folder_;
};

/// Hands the answer to the thread that waits for it.
class Answer {
 public:
  void set(std::optional<serve::http::Response> response) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_there_, true)) return;
    response_ = std::move(response);
    changed_.notify_all();
  }
  [[nodiscard]] serve::http::Response wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_there_; });
    fuzz::expect(response_.has_value(), "a request is answered");
    return *std::move(response_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_there_ = false;
  std::optional<serve::http::Response> response_;
};

class FuzzExchange final : public serve::http::Exchange {
 public:
  FuzzExchange(std::string_view path, std::string_view body, std::shared_ptr<Answer> answer)
      : request_{.method = "POST",
                 .path = std::string(path),
                 .query = {},
                 .headers = {{"Content-Type", "application/json"}},
                 .body = std::string(body),
                 .id = "a",
                 .peer = "unix"},
        answer_(std::move(answer)) {}
  FuzzExchange(const FuzzExchange&) = delete;
  FuzzExchange& operator=(const FuzzExchange&) = delete;
  ~FuzzExchange() override { answer_->set(std::nullopt); }

  [[nodiscard]] const serve::http::Request& request() const override { return request_; }
  [[nodiscard]] std::string take_body() override { return std::exchange(request_.body, {}); }
  void respond(serve::http::Response response) override { answer_->set(std::move(response)); }
  void on_gone(std::function<void()>) override {}

 private:
  serve::http::Request request_;
  std::shared_ptr<Answer> answer_;
};

/// A model, and a server of it alone.
class Machine {
 public:
  explicit Machine(const Kind& kind) : checkpoint_(kind) {
    serve::ServedModels models;
    models.add(std::make_unique<serve::ServedModel>("a", checkpoint_.name(), api::LoadOptions{.threads = 1}, kStore));
    service_ = std::make_unique<serve::Service>(std::move(models), serve::Keys(),
                                                serve::ServiceOptions{.most_texts = kMostTexts},
                                                serve::RequestLog::Options{.which = serve::RequestLog::Which::none});
    service_->laboratory = std::make_unique<serve::live::Laboratory>(serve::live::LaboratoryOptions{
        .models = {{.name = "a", .directory = checkpoint_.name()}}, .threads = 1, .program = {}});
  }

  [[nodiscard]] serve::http::Response post(std::string_view path, std::string_view body) const {
    const auto answer = std::make_shared<Answer>();
    serve::route(*service_, std::make_shared<FuzzExchange>(path, body, answer));
    return answer->wait();
  }

 private:
  static constexpr size_t kStore = size_t{1} << 16;

  Checkpoint checkpoint_;
  std::unique_ptr<serve::Service> service_;
};

const Machine& machine_of(size_t kind) {
  static std::array<std::unique_ptr<Machine>, kKinds.size()> machines;
  auto& machine = machines[kind];
  if (!machine) machine = std::make_unique<Machine>(kKinds[kind]);
  return *machine;
}

/// Whether no route that reads a body is forgotten here.
bool knows_every_route() {
  return std::ranges::all_of(serve::all_routes(), [](const serve::Route& route) {
    return route.method != "POST" || route.path == kLeftOut || std::ranges::count(kPaths, route.path) == 1;
  });
}

std::string message_of(const json& answer, serve::Dialect dialect) {
  switch (dialect) {
    case serve::Dialect::native:
      fuzz::expect(answer.at("error_type").is_string(), "a refusal says of what kind it is");
      return answer.at("error").get<std::string>();
    case serve::Dialect::openai:
      return answer.at("error").at("message").get<std::string>();
    case serve::Dialect::cohere:
      return answer.at("message").get<std::string>();
  }
  return {};
}

void check(const serve::http::Response& response, std::string_view path) {
  const auto answer = json::parse(response.body, nullptr, false);
  fuzz::expect(!answer.is_discarded(), "an answer is JSON");
  for (const auto& [name, value] : response.headers) {
    fuzz::expect(value.empty() || test::is_one_line(value), "a header is one line");
  }
  if (response.status == 200) return;
  constexpr auto kRefusals = std::to_array<unsigned>({400, 404, 422, 424});
  fuzz::expect(std::ranges::count(kRefusals, response.status) == 1, "what is refused is the client's fault");
  const auto route = std::ranges::find_if(
      serve::all_routes(), [path](const serve::Route& one) { return one.method == "POST" && one.path == path; });
  fuzz::expect(test::is_one_line(message_of(answer, route->dialect)), "a refusal is one line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool knows_all = knows_every_route();
  fuzz::expect(knows_all, "every route that reads a body is searched");
  if (size < 2) return 0;
  const auto path = kPaths[data[1] % kPaths.size()];
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  check(machine_of(data[0] % kKinds.size()).post(path, body), path);
  return 0;
}
