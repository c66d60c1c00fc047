#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "api/inspection/verify.hpp"
#include "api/model/loaded_model.hpp"
#include "base/error.hpp"
#include "io/safetensors_writer.hpp"
#include "model/config.hpp"
#include "reference/window_encoder.hpp"
#include "summand/model.hpp"
#include "summand/quantize.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;

namespace {

constexpr size_t kMostWindows = 4;
constexpr size_t kWindow = 8;  // tokens, of which two are special

/// A classifier with a transformer over windows, in a folder.
class WindowModel {
 public:
  explicit WindowModel(const std::string& name) : directory_(name) {
    const std::filesystem::path path(directory_.name());
    config_ = test::config_of({.positions = 24, .vocabulary = 31});
    config_.labels = model::numbered_labels(3);
    config_.architectures = {"BertForSequenceClassification"};
    config_.reading = {.length = {.max_length = kWindow},
                       .windows = WindowOptions{.pooling = WindowPooling::transformer, .overlap = 1}};
    config_.window_encoder = {.layers = 2, .most_windows = static_cast<int64_t>(kMostWindows)};
    weights_ =
        test::random_weights(config_, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}}, 9);
    directory_.write("config.json", model::to_json(config_));
    io::write_safetensors(path / "model.safetensors", weights_);
  }
  [[nodiscard]] std::string name() const { return directory_.name(); }
  [[nodiscard]] Model load(int threads = 2) const { return Model::load(name(), {.threads = threads}); }
  [[nodiscard]] const model::Config& config() const { return config_; }
  [[nodiscard]] const model::Weights& weights() const { return weights_; }

 private:
  test::TinyDirectory directory_;
  model::Config config_;
  model::Weights weights_;
};

/// Words of one letter, one token each.
std::string letters(size_t count, size_t first = 0) {
  std::string text;
  for (size_t i = first; i < first + count; ++i) {
    text += std::string(i == first ? "" : " ") + static_cast<char>('a' + (i * 7) % 26);
  }
  return text;
}

std::vector<float> elements(const Matrix<float>& matrix) {
  return {matrix.elements().begin(), matrix.elements().end()};
}

std::vector<float> logits(const Model& model, const TextList& texts, const ScoreOptions& options = {}) {
  return elements(model.score(texts, options).logits);
}

}  // namespace

TEST_CASE("a text's logits are the reference's of its windows' first states") {
  const WindowModel files("window_reference");
  const Model model = files.load();
  CHECK(model.info().most_windows == kMostWindows);
  const std::string text = letters(16);  // windows of six letters, one of them shared: 0-5, 5-10, 10-15
  const std::vector<std::string> windows{letters(6), letters(6, 5), letters(6, 10)};
  const reference::WindowEncoder<double> exact(files.config(), files.weights());
  const auto states = model.hidden(windows, {.layers = std::vector<size_t>{2}});
  Matrix<double> vectors(3, 12);
  for (size_t window = 0; window < 3; ++window) {
    std::ranges::copy(states.of_text(window, 0).row(0), vectors.row(window).begin());
  }
  const Matrix<double> want = exact.logits(vectors);
  const auto scored = model.score(text);
  CHECK(scored.count.windows.windows == 3);
  for (size_t label = 0; label < 3; ++label) CHECK(std::abs(scored.logits(0, label) - want(0, label)) < 1e-4);
}

TEST_CASE("a text has the same bits whatever else is in the call, with any number of threads, and if it comes again") {
  const WindowModel files("window_bits");
  const std::vector<std::string> texts{letters(16), "a", letters(21, 3), "", letters(6), letters(16)};
  const Model model = files.load(1), threads = files.load(4);
  const auto all = logits(model, texts);
  CHECK(logits(threads, texts) == all);
  CHECK(logits(model, texts, {.repeated = RepeatedTexts::compute_each}) == all);
  for (size_t text = 0; text < texts.size(); ++text) {
    const std::vector<float> own(all.begin() + 3 * static_cast<std::ptrdiff_t>(text),
                                 all.begin() + 3 * static_cast<std::ptrdiff_t>(text) + 3);
    CHECK(logits(model, texts[text]) == own);
  }
  CHECK(model.score(texts).count.texts_repeated == 1);
  const auto classified = model.classify(texts);
  for (size_t text = 0; text < texts.size(); ++text) {
    CHECK(classified.texts[text][0].logit ==
          *std::max_element(all.begin() + 3 * static_cast<std::ptrdiff_t>(text),
                            all.begin() + 3 * static_cast<std::ptrdiff_t>(text) + 3));
  }
}

TEST_CASE("a text of more windows loses what is behind them, and is counted") {
  const WindowModel files("window_cut");
  const Model model = files.load();
  const auto cut = model.score(letters(100));
  CHECK(cut.count.texts_cut == 1);
  CHECK(cut.count.windows.windows == kMostWindows);
  CHECK(elements(cut.logits) == logits(model, letters(6 + 3 * 5)));
  CHECK(model.score(letters(6 + 3 * 5)).count.texts_cut == 0);
}

TEST_CASE("sentence vectors of the same model read all windows of a text") {
  const WindowModel files("window_vectors");
  const auto embedded = files.load().embed(letters(200), {.windows = WindowOptions()});
  CHECK(embedded.count.windows.windows > kMostWindows);
  CHECK(embedded.count.texts_cut == 0);
}

TEST_CASE("a truncation makes one window, and another way to combine windows is refused") {
  const WindowModel files("window_ways");
  const Model model = files.load();
  CHECK(logits(model, letters(16), {.length = {.truncation = Truncation::head}}) == logits(model, letters(6)));
  CHECK(logits(model, letters(16), {.length = {.max_length = 24}}) != logits(model, letters(16)));
  const WindowOptions mean;
  CHECK_THROWS_WITH_AS((void)model.classify("a", {.windows = mean}),
                       "[windows] expected transformer, with which the model was trained, got another way", UsageError);
  const test::TinyDirectory plain("window_none", 1,
                                  {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}});
  const WindowOptions transformer{.pooling = WindowPooling::transformer};
  const Model without = Model::load(plain.name());
  CHECK(without.info().most_windows == 0);
  CHECK_THROWS_WITH_AS((void)without.score("a", {.windows = transformer}),
                       "[windows] expected mean or max, as the model has no transformer over the windows of texts for "
                       "this, got transformer",
                       UsageError);
  CHECK_THROWS_WITH_AS((void)model.embed("a", {.windows = transformer}),
                       "[windows] expected mean or max for sentence vectors, got transformer, which is for labels of "
                       "texts",
                       UsageError);
}

TEST_CASE("verify compares it, and a copy in 8 bits has it as it was") {
  const WindowModel files("window_verify");
  const auto report = files.load().verify();
  CHECK(report.agrees());
  CHECK(report.states.back().name == "window encoder");
  model::Weights other = files.weights();
  const std::string bias = "window_encoder.encoder.layer.1.output.LayerNorm.bias";
  auto values = model::to_floats(other.at(bias));
  values.back() += 0.01F;
  other.set(bias, model::make_tensor(other.at(bias).shape, values));
  const engine::Engine engine(files.config(), files.weights());
  const engine::WindowEncoder wrong(files.config(), other);
  const model::ModelParts parts{.pooler = model::Pooler::present, .heads = {Head::sequence_classification}};
  const auto batch = test::random_batch(files.config(), {3, 9}, 1);
  CHECK_FALSE(api::verify({engine, files.config(), files.weights(), parts, &wrong}, batch).agrees());

  const std::filesystem::path out = files.name() + "_int8";
  (void)quantize(files.name(), out);
  const auto quantized = api::LoadedModel::load(out.string(), {.precision = Precision::fp32});
  std::filesystem::remove_all(out);
  CHECK(quantized.config().window_encoder == files.config().window_encoder);
  CHECK(quantized.config().reading == files.config().reading);
  REQUIRE(quantized.window_encoder() != nullptr);
  CHECK(quantized.checkpoint().weights.at(bias).dtype == model::DType::f32);
}
