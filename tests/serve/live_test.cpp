// What the live page is answered: changes of the input against models whose tables were changed, and the public model.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "api/inspection/parts.hpp"
#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/table_of.hpp"
#include "model/position.hpp"
#include "serve/live/assets.hpp"
#include "serve/live/claim_run.hpp"
#include "serve/live/live_model.hpp"
#include "serve/live/sum_reader.hpp"
#include "summand/model.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::serve::live;
using Eigen::Index;
using Json = nlohmann::json;

namespace {

constexpr double kFloat = 2e-5;  // attention is watched in single precision, in another order

const std::string kText = "a c e g i b d f";
const std::string kPair = "h j l";

const model::ModelParts kWithMasks{.pooler = model::Pooler::present, .heads = {Head::masked_language}};

/// A checkpoint of random tables with a masked-language head.
struct Tiny {
  explicit Tiny(const std::string& name)
      : directory(name, 1, kWithMasks), model(LiveModel::load(directory.name(), 1)) {}
  test::TinyDirectory directory;
  LiveModel model;
};

Tiny& tiny() {
  static Tiny made("live");
  return made;
}

/// A model whose table is `change` of the tiny one's.
LiveModel with_table(const std::string& tensor, const std::function<void(lab::Table&)>& change) {
  const auto config = test::config_of({.positions = 24, .vocabulary = 31});
  auto weights = test::random_weights(config, kWithMasks, 1);
  lab::Table table = lab::table_of(weights.at(tensor));
  change(table);
  weights.set(tensor, lab::tensor_of(table));
  const test::TinyDirectory directory("live_changed", 1, kWithMasks);
  io::write_safetensors(std::filesystem::path(directory.name()) / "model.safetensors", weights);
  return LiveModel::load(directory.name(), 1);
}

const auto to_mean_row = [](lab::Table& table) { table.rowwise() = table.colwise().mean().eval(); };

double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

double farthest(const lab::Table& a, const lab::Table& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

std::vector<int32_t> reversed(size_t count) {
  std::vector<int32_t> order;
  for (size_t i = count; i > 0; --i) order.push_back(static_cast<int32_t>(i - 1));
  return order;
}

std::string line_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("without a change a sentence vector and fillings have the public model's bits") {
  const Model model = Model::load(tiny().directory.name(), {.threads = 1});
  const LookRequest request{.text = "a c [MASK] g", .text_pair = kPair};
  const Text pair("a c [MASK] g", kPair);
  const Look look = tiny().model.look(request);
  CHECK_FALSE(look.changed);
  CHECK(look.cosine == 1);
  const auto embedded = model.embed(pair, {.length = {.max_length = tiny().model.limit()}, .prompt = ""});
  const auto row = embedded.vectors.row(0);
  CHECK(look.vector == std::vector<float>(row.begin(), row.end()));
  const auto filled = model.fill_mask(pair);
  REQUIRE(look.masks.size() == 1);
  REQUIRE(filled.texts[0].size() == 1);
  CHECK(look.masks[0].token == filled.texts[0][0].token);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(look.masks[0].fillings[i].id == filled.texts[0][0].fillings[i].id);
    CHECK(look.masks[0].fillings[i].score == filled.texts[0][0].fillings[i].score);
    CHECK(look.masks[0].unchanged[i].score == filled.texts[0][0].fillings[i].score);
  }
}

TEST_CASE("an order that moves nothing has the unchanged model's bits") {
  const Look unchanged = tiny().model.look({.text = kText});
  std::vector<int32_t> order = reversed(unchanged.tokens.size());
  std::ranges::reverse(order);
  const Look look = tiny().model.look({.text = kText, .order = order});
  CHECK_FALSE(look.changed);
  CHECK(look.vector == unchanged.vector);
}

TEST_CASE("a part at strength 0 is a table that has its mean row everywhere") {
  struct Case {
    const char* tensor;
    Strengths strengths;
  };
  for (const auto& [tensor, strengths] : {Case{"embeddings.position_embeddings.weight", {.position = 0}},
                                          Case{"embeddings.token_type_embeddings.weight", {.segment = 0}},
                                          Case{"embeddings.word_embeddings.weight", {.token = 0}}}) {
    CAPTURE(tensor);
    const LiveModel other = with_table(tensor, to_mean_row);
    const Look look = tiny().model.look({.text = kText, .text_pair = kPair, .strengths = strengths});
    const Look expected = other.look({.text = kText, .text_pair = kPair});
    CHECK(look.changed);
    CHECK(farthest(look.vector, expected.vector) < kFloat);
    REQUIRE(look.attention.size() == expected.attention.size());
    for (size_t i = 0; i < look.attention.size(); ++i)
      CHECK(farthest(look.attention[i], expected.attention[i]) < kFloat);
    for (size_t t = 0; t < look.tokens.size(); ++t) {
      CHECK(look.tokens[t].parts.norm == doctest::Approx(expected.tokens[t].parts.norm).epsilon(1e-6));
    }
  }
}

TEST_CASE("a part at strength 2 is a table whose rows are twice as far from their mean") {
  const LiveModel other = with_table("embeddings.token_type_embeddings.weight", [](lab::Table& table) {
    const Eigen::RowVectorXd mean = table.colwise().mean();
    table = (2 * (table.rowwise() - mean)).rowwise() + mean;
  });
  const Look look = tiny().model.look({.text = kText, .text_pair = kPair, .strengths = {.segment = 2}});
  const Look expected = other.look({.text = kText, .text_pair = kPair});
  CHECK(farthest(look.vector, expected.vector) < kFloat);
  CHECK(look.tokens[1].parts.segment_norm == doctest::Approx(expected.tokens[1].parts.segment_norm).epsilon(1e-6));
}

TEST_CASE("tokens at other positions are a table whose rows were exchanged") {
  const size_t count = tiny().model.look({.text = kText}).tokens.size();
  const auto order = reversed(count);
  const LiveModel other = with_table("embeddings.position_embeddings.weight", [&](lab::Table& table) {
    const lab::Table rows = table;
    for (size_t i = 0; i < count; ++i) table.row(static_cast<Index>(i)) = rows.row(order[i]);
  });
  const Look look = tiny().model.look({.text = kText, .order = order});
  const Look expected = other.look({.text = kText});
  CHECK(farthest(look.vector, expected.vector) == 0);
  for (size_t i = 0; i < look.attention.size(); ++i) CHECK(farthest(look.attention[i], expected.attention[i]) < kFloat);
  CHECK(look.tokens[0].position == static_cast<int32_t>(count) - 1);
  CHECK(look.cosine < 0.9999);
}

TEST_CASE("two texts whose tokens take one another's positions are the same bag") {
  // "a c e" with a and e exchanged is "e c a" with its tokens in another order: [CLS] c stay.
  const Look swapped = tiny().model.look({.text = "a c e", .order = {0, 3, 2, 1, 4}});
  const Look written = tiny().model.look({.text = "e c a"});
  CHECK(farthest(swapped.vector, written.vector) < kFloat);
  const Look back = tiny().model.look({.text = "e c a", .order = {0, 3, 2, 1, 4}});
  const Look plain = tiny().model.look({.text = "a c e"});
  CHECK(farthest(back.vector, plain.vector) < kFloat);
}

TEST_CASE("noise is of the length asked for, and the same for a seed") {
  const LookRequest request{.text = kText, .noise = 0.5, .seed = 3};
  const Look look = tiny().model.look(request);
  CHECK(look.vector == tiny().model.look(request).vector);
  LookRequest other = request;
  other.seed = 4;
  CHECK(farthest(look.vector, tiny().model.look(other).vector) > 1e-3);
  const Look quiet = tiny().model.look({.text = kText});
  double square = 0, of_sums = 0;
  for (size_t t = 0; t < look.tokens.size(); ++t) {
    square += std::pow(look.tokens[t].parts.noise_norm / quiet.tokens[t].parts.norm, 2);
    of_sums += 1;
    const auto& share = look.tokens[t].parts.share;
    CHECK(share.common + share.token + share.position + share.segment + look.tokens[t].parts.noise_share ==
          doctest::Approx(1));
  }
  CHECK(std::sqrt(square / of_sums) == doctest::Approx(0.5).epsilon(0.25));  // over 10 tokens of 12 coordinates
}

TEST_CASE("shares are those of `parts`") {
  const auto loaded = api::LoadedModel::load(tiny().directory.name(), {.threads = 1});
  const auto encoding = loaded.encode(TextView(kText, kPair), {}, 24);
  const auto expected = api::parts_of(api::input_tables(loaded), loaded.tokenizer(), encoding);
  const Look look = tiny().model.look({.text = kText, .text_pair = kPair});
  REQUIRE(look.tokens.size() == expected.tokens.size());
  for (size_t t = 0; t < look.tokens.size(); ++t) {
    CHECK(look.tokens[t].parts.share.token == doctest::Approx(expected.tokens[t].share.token));
    CHECK(look.tokens[t].parts.share.position == doctest::Approx(expected.tokens[t].share.position));
    CHECK(look.tokens[t].parts.position_norm == doctest::Approx(expected.tokens[t].centred_position_norm));
    CHECK(look.tokens[t].token == expected.tokens[t].token);
  }
}

TEST_CASE("the terms of the first layer's scores add up to the engine's, whatever is changed") {
  const auto loaded = api::LoadedModel::load(tiny().directory.name(), {.threads = 1});
  LookRequest request{.text = kText, .strengths = {.token = 0.5, .position = 2}, .noise = 0.3, .seed = 1};
  request.scores = ScoresOf::head;
  request.scores_head = 2;
  const size_t count = tiny().model.look({.text = kText}).tokens.size();
  request.order = reversed(count);
  const Look look = tiny().model.look(request);
  REQUIRE(look.scores);
  // A row of scores is known from its attention but for a constant.
  lab::Table scores = look.scores->sum();
  scores = scores.array().exp().matrix();
  scores = scores.array().colwise() / scores.rowwise().sum().array();
  CHECK(farthest(scores, look.attention[2]) < kFloat);
  request.scores = ScoresOf::mean;
  const Look mean = tiny().model.look(request);
  lab::Table total = lab::Table::Zero(static_cast<Index>(count), static_cast<Index>(count));
  request.scores = ScoresOf::head;
  for (size_t head = 0; head < 3; ++head) {
    request.scores_head = head;
    total += tiny().model.look(request).scores->at(lab::LogitPart::token, lab::LogitPart::position) / 3;
  }
  CHECK(farthest(mean.scores->at(lab::LogitPart::token, lab::LogitPart::position), total) < 1e-12);
}

TEST_CASE("attention of one layer and head is that among all of them") {
  const Look all = tiny().model.look({.text = kText});
  CHECK(all.attention.size() == 6);
  const Look one = tiny().model.look({.text = kText, .layer = 1, .head = 2});
  REQUIRE(one.attention.size() == 1);
  CHECK(farthest(one.attention[0], all.attention[5]) == 0);
  for (Index row = 0; row < all.attention[0].rows(); ++row)
    CHECK(all.attention[0].row(row).sum() == doctest::Approx(1));
}

TEST_CASE("sums are read back as by the laboratory's decoder") {
  // Wide enough to be searched in single precision, with a few long rows, as trained tables have.
  for (const Index hidden : {Index{12}, Index{96}}) {
    const auto noise = [&](Index rows, const char* name) {
      RandomStream stream(7, name);
      return lab::white_noise({static_cast<size_t>(rows), static_cast<size_t>(hidden)}, stream);
    };
    lab::Table tokens = noise(2100, "tokens");
    lab::Table positions = 0.4 * noise(50, "positions");
    const lab::Table segments = 0.2 * noise(2, "segments");
    positions.row(0) *= 8;
    positions.row(7) *= 5;
    std::vector<lab::SumItem> items;
    for (Index i = 0; i < 40; ++i) items.push_back({(53 * i) % 2100, (7 * i) % 50, i % 2});
    const SumReader reader(tokens, positions, segments);
    const lab::SumDecoder decoder(tokens, positions, segments);
    const Eigen::RowVectorXd mean = positions.colwise().mean();
    const Eigen::RowVectorXd token_mean = tokens.colwise().mean();
    for (const auto& [of_token, of_position] : {std::pair{1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}, {0.3, 3.0}, {2.0, 0.5}}) {
      lab::Table sums(40, hidden);
      for (Index i = 0; i < 40; ++i) {
        const auto& [token, position, segment] = items[static_cast<size_t>(i)];
        sums.row(i) = token_mean + of_token * (tokens.row(token) - token_mean) + mean +
                      of_position * (positions.row(position) - mean) + segments.row(segment);
      }
      const lab::FloatTable rounded = sums.cast<float>();
      const auto found = reader.read(sums, items, 2);
      const auto expected = decoder.decode(rounded, items, lab::Seen::sum, 1);
      for (size_t i = 0; i < items.size(); ++i) {
        CAPTURE(hidden);
        CAPTURE(of_token);
        CAPTURE(of_position);
        CAPTURE(i);
        CHECK(found[i].margin == doctest::Approx(expected[i].margin).epsilon(1e-4));
        CHECK(found[i].exact == expected[i].exact);
        CHECK(found[i].other.token == expected[i].other.token);
        CHECK(found[i].other.position == expected[i].other.position);
      }
    }
  }
}

TEST_CASE("every sum of the unchanged model reads back as itself") {
  const Look look = tiny().model.look({.text = kText});
  for (const auto& token : look.tokens) {
    REQUIRE(token.read_back);
    CHECK(token.read_back->exact);
    CHECK_FALSE(token.other_token.empty());
  }
}

TEST_CASE("neighbours are sentences of the list, nearest first, and may be the reader's own") {
  const Look look = tiny().model.look({.text = kText, .sentences = std::vector<std::string>{"z y", kText, "q"}});
  REQUIRE(look.neighbours.size() == 3);
  CHECK(look.neighbours[0].sentence == 1);
  CHECK(look.neighbours[0].cosine == doctest::Approx(1));
  CHECK(std::ranges::is_sorted(look.neighbours, std::greater(), &LookNeighbour::cosine));
  CHECK(tiny().model.look({.text = kText}).sentences.size() == 20);
  CHECK(tiny().model.look({.text = kText, .sentences = std::vector<std::string>()}).neighbours.empty());
}

TEST_CASE("the JSON has what the page reads") {
  const auto answer = Json::parse(tiny().model.look(
      std::string_view(R"({"model": "x", "text": "a [MASK] c", "strengths": {"position": 0}, "noise": 0.1, "seed": 2,
                           "order": [0, 2, 1, 3, 4], "attention": "all", "scores": "mean", "sentences": ["a", "b"]})")));
  CHECK(answer.at("version") == 1);
  CHECK(answer.at("changed") == true);
  CHECK(answer.at("tokens").size() == 5);
  CHECK(answer.at("tokens")[1].at("position") == 2);
  CHECK(answer.at("tokens")[1].at("bytes") == Json::array({0, 1}));
  CHECK(answer.at("tokens")[0].at("special") == true);
  CHECK(answer.at("attention").at("codes").get<std::string>().size() == (6 * 25 + 2) / 3 * 4);
  CHECK(answer.at("scores").at("head") == "mean");
  CHECK(answer.at("scores").at("floats").get<std::string>().size() == (17 * 25 * 4 + 2) / 3 * 4);
  CHECK(answer.at("masks")[0].at("fillings").size() == 5);
  CHECK(answer.at("neighbours").size() == 2);
  const auto facts = Json::parse(tiny().model.describe());
  CHECK(facts.at("layers") == 2);
  CHECK(facts.at("heads") == 3);
  CHECK(facts.at("limit") == 24);
  CHECK(facts.at("unknown_token") == "[UNK]");
  CHECK(facts.at("has_mask_head") == true);
  CHECK(facts.at("adds_three_tables") == true);
}

TEST_CASE("bad requests are one clear line") {
  const auto asked = [](const char* json) { return line_of([&] { (void)tiny().model.look(std::string_view(json)); }); };
  CHECK(asked("{") != "");
  CHECK(asked("[]").starts_with("[look]"));
  CHECK(asked(R"({"text": 1})") == "[look] text: expected a string, got 1");
  CHECK(asked("{}") == "[look] text: expected a text, got none");
  CHECK(asked(R"({"text": "a", "colour": 1})") == "[look] expected no key 'colour', got it");
  CHECK(asked(R"({"text": "a", "strengths": {"token": 5}})") ==
        "[strengths.token] expected a number from 0 to 4, got 5");
  CHECK(asked(R"({"text": "a", "noise": -1})") == "[noise] expected a number from 0 to 4, got -1");
  CHECK(asked(R"({"text": "a", "order": [0, 1]})") == "[order] expected 3 positions, one for each token, got 2");
  CHECK(asked(R"({"text": "a", "order": [0, 1, 1]})") == "[order] expected each position once, got 1 twice");
  CHECK(asked(R"({"text": "a", "order": [0, 1, 3]})") == "[order] expected positions from 0 to 2, got 3");
  CHECK(asked(R"({"text": "a", "attention": {"layer": 3}})") == "[attention.layer] expected 1 to 2, got 3");
  CHECK(asked(R"({"text": "a", "scores": 4})") == "[scores] expected 1 to 3, got 4");
  const std::string long_text(kLongestText + 1, 'a');
  CHECK(line_of([&] { (void)tiny().model.look({.text = long_text}); }) ==
        "[text] expected at most 4000 bytes, got 4001");
  CHECK(line_of([&] { (void)tiny().model.look({.text = "a", .sentences = std::vector<std::string>(65)}); }) ==
        "[sentences] expected at most 64, got 65");
}

TEST_CASE("a long text is cut, and an empty one has its special tokens") {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "a ";
  const Look look = tiny().model.look({.text = text});
  CHECK(look.tokens.size() == 24);
  CHECK(look.cut == 18);
  CHECK(tiny().model.look({.text = ""}).tokens.size() == 2);
}

TEST_CASE("models that are no BERT show what they have") {
  auto config = test::config_of({.positions = 24, .vocabulary = 31});
  const test::TinyDirectory directory("live_gated", 1, kWithMasks);
  config.composition = model::VectorGate();
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(std::filesystem::path(directory.name()) / "model.safetensors",
                        test::random_weights(config, kWithMasks, 1));
  const LiveModel gated = LiveModel::load(directory.name(), 1);
  const Look look = gated.look({.text = kText, .strengths = {.position = 0}, .scores = ScoresOf::mean});
  CHECK(look.changed);
  CHECK_FALSE(look.scores);
  CHECK_FALSE(look.tokens[0].read_back);
  CHECK(look.attention.size() == 6);
  CHECK(Json::parse(gated.describe()).at("adds_three_tables") == false);
}

TEST_CASE("the page and its files are there, and nothing else") {
  const auto page = asset("/");
  REQUIRE(page);
  CHECK(page->content_type == "text/html; charset=utf-8");
  CHECK(page->bytes.find("<script>") == std::string_view::npos);  // the policy allows no inline script
  for (const char* path :
       {"/live/main.js", "/live/report.js", "/live/page.css", "/live/live.css", "/live/words.json", "/live/icon.svg"}) {
    CAPTURE(path);
    REQUIRE(asset(path));
    CHECK_FALSE(asset(path)->bytes.empty());
    CHECK(asset(path)->etag == asset(path)->etag);
  }
  CHECK(asset("/live/words.json")->content_type == "application/json");
  CHECK(asset("/live/page.css")->etag != asset("/live/live.css")->etag);
  CHECK_FALSE(asset("/live/none.js"));
  CHECK_FALSE(asset("/live/index.html"));
  CHECK_FALSE(asset("/live/../live_model.cpp"));
  CHECK_FALSE(asset("live/main.js"));
}

namespace {

/// Waits until a run has ended.
Json ended(const ClaimRun& run) {
  for (;;) {
    auto state = Json::parse(run.state());
    if (state.at("state") != "running") return state;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

TEST_CASE("a run of claims that cannot begin says so in a line") {
  const test::TinyDirectory scratch("live_claims");
  const std::filesystem::path folder = std::filesystem::path(scratch.name()) / "reports";
  ClaimRun run("/nowhere/summand-lab", folder);
  CHECK(Json::parse(run.state()).at("state") == "idle");
  CHECK(line_of([&] { run.start({.model = scratch.name(), .name = "tiny"}); }).find("cannot be run") !=
        std::string::npos);
  CHECK(line_of([&] {
          run.start({.model = scratch.name(), .name = "tiny", .only = {"--seed=1"}});
        }).starts_with("[only]"));
  CHECK_FALSE(run.report());
  run.cancel();
}

TEST_CASE("a run's last line of complaint is its error") {
  const test::TinyDirectory scratch("live_failing");
  scratch.write("lab", "#!/bin/sh\necho 'summand: [x] expected y, got z' >&2\nexit 1\n");
  const std::filesystem::path program = std::filesystem::path(scratch.name()) / "lab";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ClaimRun run(program, std::filesystem::path(scratch.name()) / "reports");
  run.start({.model = "m", .name = "tiny"});
  const auto state = ended(run);
  CHECK(state.at("state") == "failed");
  CHECK(state.at("error") == "[x] expected y, got z");
  CHECK_FALSE(run.report());
}

TEST_CASE("verdicts are read while a run goes on, which can be cancelled") {
  const test::TinyDirectory scratch("live_running");
  scratch.write("lab",
                "#!/bin/sh\n"
                "echo '{\"event\": \"progress\", \"share\": 0.5, \"ended\": 1, \"count\": 2, \"under_way\": \"b\"}'\n"
                "echo '{\"event\": \"answer\", \"text\": \"no\"}'\n"
                "echo '{\"event\": \"verdict\", \"claim\": \"X1\"}'\n"
                "echo 'no JSON'\n"
                "exec sleep 60\n");
  const std::filesystem::path program = std::filesystem::path(scratch.name()) / "lab";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ClaimRun run(program, std::filesystem::path(scratch.name()) / "reports");
  run.start({.model = "m", .name = "tiny"});
  while (Json::parse(run.state()).at("next") == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  auto state = Json::parse(run.state());
  CHECK(state.at("state") == "running");
  CHECK(state.at("share") == 0.5);
  CHECK(state.at("answer").at("text") == "no");
  CHECK(state.at("verdicts")[0].at("claim") == "X1");
  CHECK(Json::parse(run.state(1)).at("verdicts").empty());
  CHECK(line_of([&] { run.start({.model = "m", .name = "tiny"}); }).find("under way") != std::string::npos);
  run.cancel();
  state = ended(run);
  CHECK(state.at("state") == "cancelled");
  CHECK(state.at("error").is_null());
  CHECK(state.at("next") == 1);
}
