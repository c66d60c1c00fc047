#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "arms.hpp"
#include "support/random_model.hpp"
#include "text_by_text.hpp"
#include "train/network/attention.hpp"
#include "train/network/autocast.hpp"
#include "train/network/network.hpp"
#include "train/network/slot_weights.hpp"

// libtorch has macros of the same names, which end the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

// Attention of a whole batch beside model::attend() text by text.

namespace summand {

namespace {

constexpr double kRounding = 1e-11;          // in double precision, of gradients up to 100
constexpr double kFloatRounding = 1e-4;      // of gradients that are sums over 1,390 rows
constexpr double kBf16Rounding = 1.0 / 128;  // of results and gradients: half a unit of 8 bits, twice

using Rows = model::QueryKeyValue<at::Tensor>;

/// For products as small as these, other threads are only waited for.
class Threads {
 public:
  explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { at::set_num_threads(before_); }

 private:
  int before_;
};

/// A context and the gradients of Σ sin(1 + i) · context_i: every coordinate counts, and none as another.
struct Outcome {
  at::Tensor context;
  std::vector<std::pair<std::string, at::Tensor>> gradients;  // of the rows and the parameters; undefined: none
};

/// Standard normal rows. @return leaves
Rows random_rows(int64_t tokens, int64_t width, at::ScalarType type, uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(seed);
  const auto drawn = [&] {
    return at::randn({tokens, width}, generator, at::TensorOptions().dtype(at::kDouble)).to(type).requires_grad_();
  };
  at::Tensor query = drawn(), key = drawn(), value = drawn();
  return {query, key, value};
}

template <class Attend>
Outcome outcome(const train::Parameters& parameters, const Rows& rows, const Attend& attend) {
  std::vector<std::pair<std::string, at::Tensor>> leaves{
      {"query", rows.query}, {"key", rows.key}, {"value", rows.value}};
  for (const auto& [name, tensor] : parameters.all()) {
    if (tensor.requires_grad()) leaves.emplace_back(name, tensor);
  }
  for (auto& [name, tensor] : leaves) tensor.mutable_grad() = at::Tensor();
  Outcome result;
  result.context = attend(rows);
  const at::Tensor weights = at::sin(1 + at::arange(result.context.numel(), at::kDouble)).view_as(result.context);
  (result.context * weights.to(result.context.scalar_type())).sum().backward();
  for (auto& [name, tensor] : leaves) {
    result.gradients.emplace_back(name, tensor.grad().defined() ? tensor.grad().clone() : at::Tensor());
  }
  return result;
}

double difference(const at::Tensor& got, const at::Tensor& want) {
  return (got.to(at::kDouble) - want.to(at::kDouble)).abs().max().item<double>();
}

double largest(const at::Tensor& tensor) {
  return std::max(1.0, tensor.abs().max().item<double>());
}

void check_alike(const Outcome& got, const Outcome& want, double tolerance) {
  CHECK(difference(got.context, want.context) <= tolerance * largest(want.context));
  for (size_t i = 0; i < want.gradients.size(); ++i) {
    const auto& [name, gradient] = want.gradients[i];
    CAPTURE(name);
    const at::Tensor& own = got.gradients[i].second;
    if (!gradient.defined()) {
      CHECK((!own.defined() || own.abs().max().item<double>() == 0));
      continue;
    }
    REQUIRE(own.defined());
    CHECK(difference(own, gradient) <= tolerance * largest(gradient));
  }
}

bool same_bits(const Outcome& one, const Outcome& other) {
  bool same = at::equal(one.context, other.context);
  for (size_t i = 0; i < one.gradients.size(); ++i) {
    if (one.gradients[i].second.defined()) {
      same = same && at::equal(one.gradients[i].second, other.gradients[i].second);
    }
  }
  return same;
}

Outcome packed(const model::Config& config, const train::Parameters& parameters, const model::Batch& batch,
               const train::Dropout* dropout, const Rows& rows) {
  return outcome(parameters, rows,
                 [&](const Rows& all) { return train::Attention(config, parameters, batch, dropout).context(1, all); });
}

Outcome plain(const model::Config& config, const train::Parameters& parameters, const model::Batch& batch,
              const train::Dropout* dropout, const Rows& rows) {
  return outcome(parameters, rows, [&](const Rows& all) {
    return test::attention_text_by_text(config, parameters, batch, dropout, 1, all);
  });
}

model::Config with_dropout(model::Config config, double rate) {
  config.attention_probs_dropout_prob = rate;
  return config;
}

/// One token, all positions, lengths that occur twice, and texts that do not begin at position 0.
model::Batch mixed_batch(const model::Config& config) {
  model::Batch batch = test::random_batch(config, {5, 1, 24, 9, 24, 5, 13}, 77);
  for (size_t i = batch.offsets[3]; i < batch.offsets[4]; ++i) batch.positions[i] += 7;
  return batch;
}

/// Arms whose attention differs, with pairs of encodings: of each the i-th for positions and another for segments.
std::vector<test::Arm> attention_arms() {
  std::vector<test::Arm> arms;
  for (auto& arm : test::single_arms()) {
    if (arm.name == "plain" || arm.name.find("attention") != std::string::npos) arms.push_back(std::move(arm));
  }
  const auto settings = test::attention_settings(test::plain_arm().positions_in_attention().sizes);
  for (size_t i = 0; i < settings.size(); ++i) {
    test::Arm arm{"both " + test::description(settings[i]), test::plain_arm()};
    arm.config.position_attention = settings[i];
    arm.config.segment_attention =
        test::attention_settings(test::plain_arm().segments_in_attention().sizes)[(i + 5) % settings.size()];
    arm.config.attention.causal = i % 3 == 0;
    if (test::is_accepted(arm.config)) arms.push_back(std::move(arm));
  }
  return arms;
}

/// Of those arms whose number is asked for.
void check_arms(bool (*is_asked)(size_t number)) {
  const Threads one_thread(1);
  const auto arms = attention_arms();
  for (size_t number = 0; number < arms.size(); ++number) {
    if (!is_asked(number)) continue;
    CAPTURE(arms[number].name);
    const auto config = with_dropout(arms[number].config, 0.3);
    const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 4),
                                 {.type = at::kDouble});
    const auto batch = mixed_batch(config);
    const Rows rows = random_rows(static_cast<int64_t>(batch.tokens()), config.hidden_size, at::kDouble, 5);
    const train::Dropout dropout(config, 3, 8);
    for (const train::Dropout* one : {static_cast<const train::Dropout*>(nullptr), &dropout}) {
      CAPTURE((one != nullptr));
      check_alike(packed(config, network.parameters(), batch, one, rows),
                  plain(config, network.parameters(), batch, one, rows), kRounding);
    }
  }
}

constexpr size_t kEach = 3;

}  // namespace

TEST_CASE("attention of every third arm, and its gradients, are those of text by text, with dropout and without") {
  check_arms([](size_t number) { return number % kEach == 0; });
}

TEST_CASE("and so are those of all other arms" * doctest::test_suite("long")) {
  check_arms([](size_t number) { return number % kEach != 0; });
}

namespace {

/// Of 512 positions, with heads as wide as in real models.
std::vector<test::Arm> long_arms() {
  const model::Config config = test::config_of(
      {.hidden = 64, .heads = 2, .intermediate = 20, .layers = 2, .positions = 512, .segments = 2, .vocabulary = 29});
  std::vector<test::Arm> arms;
  for (const auto& kind :
       {model::AttentionKind(model::NotInAttention()), model::AttentionKind(model::TupeRelative{.untie_first = true}),
        model::AttentionKind(model::Rotary()), model::AttentionKind(model::ShawKeys())}) {
    for (const bool causal : {false, true}) {
      test::Arm arm{test::description(kind) + (causal ? ", causal" : ""), with_dropout(config, 0.1)};
      arm.config.position_attention = kind;
      arm.config.segment_attention = model::PairBias();
      arm.config.attention.causal = causal;
      arms.push_back(arm);
    }
  }
  return arms;
}

/// Results for rows of a type beside those in double precision for the same rows.
void check_precision(const test::Arm& arm, at::ScalarType type, double tolerance) {
  const auto weights = test::random_weights(arm.config, model::Pooler::absent, 4);
  const train::Network exact(arm.config, {}, weights, {.type = at::kDouble});
  const train::Network network(arm.config, {}, weights);
  const auto batch = test::random_batch(arm.config, {1, 512, 37, 200}, 77);
  const Rows rows = random_rows(static_cast<int64_t>(batch.tokens()), arm.config.hidden_size, type, 5);
  const auto in_double = [](const at::Tensor& one) { return one.detach().to(at::kDouble).requires_grad_(); };
  const train::Dropout dropout(arm.config, 3, 8);
  const Outcome got = packed(arm.config, network.parameters(), batch, &dropout, rows);
  CHECK((got.context.scalar_type() == type));
  check_alike(got,
              plain(arm.config, exact.parameters(), batch, &dropout,
                    {in_double(rows.query), in_double(rows.key), in_double(rows.value)}),
              tolerance);
}

}  // namespace

TEST_CASE("of 1 and 512 tokens in one batch too, in single precision") {
  const Threads one_thread(1);
  for (const auto& arm : long_arms()) {
    CAPTURE(arm.name);
    check_precision(arm, at::kFloat, kFloatRounding);
  }
}

TEST_CASE("rows in bf16 are computed in single precision and rounded once") {
  const Threads one_thread(1);
  for (const auto& arm : long_arms()) {
    if (!std::holds_alternative<model::NotInAttention>(arm.config.position_attention)) continue;
    CAPTURE(arm.name);
    check_precision(arm, at::kBFloat16, kBf16Rounding);
  }
}

TEST_CASE("with products in bf16 every third arm computes the same, coarsely") {
  constexpr double kCoarse = 0.1;  // of the largest number: scores and gradients of products rounded to 8 bits
  const Threads one_thread(1);
  const auto arms = attention_arms();
  for (size_t number = 0; number < arms.size(); number += kEach) {
    CAPTURE(arms[number].name);
    const auto config = with_dropout(arms[number].config, 0.3);
    const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 4));
    const auto batch = mixed_batch(config);
    const auto tokens = static_cast<int64_t>(batch.tokens());
    const train::Dropout dropout(config, 3, 8);
    const Outcome want =
        plain(config, network.parameters(), batch, &dropout, random_rows(tokens, config.hidden_size, at::kFloat, 5));
    const Rows rows = random_rows(tokens, config.hidden_size, at::kBFloat16, 5);
    const Outcome got = outcome(network.parameters(), rows, [&](const Rows& all) {
      const train::Autocast autocast(train::Precision::bf16, at::kCPU);
      return train::Attention(config, network.parameters(), batch, &dropout).context(1, all);
    });
    check_alike(got, want, kCoarse);
  }
}

TEST_CASE("the same bits twice, and with another number of threads the same but for rounding") {
  for (const auto& arm : long_arms()) {
    if (arm.config.attention.causal) continue;
    CAPTURE(arm.name);
    const train::Network network(arm.config, {}, test::random_weights(arm.config, model::Pooler::absent, 4));
    const auto batch = test::random_batch(arm.config, {1, 60, 37, 60, 12}, 77);
    const Rows rows = random_rows(static_cast<int64_t>(batch.tokens()), arm.config.hidden_size, at::kFloat, 5);
    const train::Dropout dropout(arm.config, 3, 8);
    std::vector<Outcome> outcomes;
    for (const int count : {2, 2, 1}) {
      const Threads threads(count);
      outcomes.push_back(packed(arm.config, network.parameters(), batch, &dropout, rows));
    }
    CHECK(same_bits(outcomes[0], outcomes[1]));
    check_alike(outcomes[0], outcomes[2], kFloatRounding);
  }
}

TEST_CASE("a text's mask does not depend on the other texts, and another step, layer or place has another") {
  const Threads one_thread(1);
  for (const auto& arm : long_arms()) {
    CAPTURE(arm.name);
    const auto config = with_dropout(arm.config, 0.5);
    const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 4));
    const auto context = [&](const std::vector<size_t>& lengths, uint64_t step, size_t layer) {
      auto batch = test::random_batch(config, lengths, 77);
      std::ranges::fill(batch.segments, 1);
      const Rows all = random_rows(60, config.hidden_size, at::kFloat, 5);
      const auto part = [&](const at::Tensor& one) { return one.narrow(0, 0, static_cast<int64_t>(batch.tokens())); };
      const train::Dropout dropout(config, 3, step);
      return train::Attention(config, network.parameters(), batch, &dropout)
          .context(layer, {part(all.query), part(all.key), part(all.value)})
          .detach()
          .narrow(0, 0, 27);  // of texts 0 and 1
    };
    const at::Tensor first = context({20, 7, 7}, 8, 0);
    CHECK(difference(context({20, 7, 20}, 8, 0), first) < kFloatRounding);
    CHECK(difference(context({20, 7}, 8, 0), first) < kFloatRounding);
    CHECK(difference(context({20, 7, 7}, 9, 0), first) > 0.1);
    CHECK(difference(context({20, 7, 7}, 8, 1), first) > 0.1);
  }
}

TEST_CASE("the mask keeps its share, and neighbours, texts, steps and layers draw independently") {
  constexpr double kRate = 0.1;
  constexpr uint32_t kDraws = 1U << 20;
  constexpr double kDeviations = 5;  // a right mask passes but once in a million
  const model::Config config = with_dropout(test::plain_arm(), kRate);
  const auto drops = [&](uint64_t step, const std::string& name, uint32_t from) {
    const train::DropoutMask mask = train::Dropout(config, 3, step).attention_mask(name);
    std::vector<double> all(kDraws);
    for (uint32_t i = 0; i < kDraws; ++i) all[i] = mask.factor(from + i) == 0 ? 1 - kRate : -kRate;
    return all;
  };
  const auto mean_product = [](const std::vector<double>& one, const std::vector<double>& other) {
    double sum = 0;
    for (size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
    return sum / kDraws;
  };
  const double variance = kRate * (1 - kRate);
  const auto own = drops(8, "layer 0, text 0", 0);
  CHECK(std::abs(mean_product(own, std::vector<double>(kDraws, 1.0))) < kDeviations * std::sqrt(variance / kDraws));
  CHECK(mean_product(own, own) > 0.9 * variance);  // what is compared can be alike
  for (const uint32_t lag : {1U, 2U, 24U, 128U, 24U * 24U, 128U * 128U, 1U << 16U}) {
    CAPTURE(lag);
    CHECK(std::abs(mean_product(own, drops(8, "layer 0, text 0", lag))) < kDeviations * variance / std::sqrt(kDraws));
  }
  for (const auto& other :
       {drops(9, "layer 0, text 0", 0), drops(8, "layer 0, text 1", 0), drops(8, "layer 1, text 0", 0)}) {
    CHECK(std::abs(mean_product(own, other)) < kDeviations * variance / std::sqrt(kDraws));
  }
  const train::DropoutMask mask = train::Dropout(config, 3, 8).attention_mask("layer 0, text 0");
  CHECK((mask.factor(0) == 0 || std::abs(mask.factor(0) - 1 / (1 - kRate)) < 1e-6));
  CHECK(train::Dropout(with_dropout(config, 0), 3, 8).attention_mask("layer 0, text 0").keeps_all());
}

TEST_CASE("weights of slots are those of libtorch's operations, empty slots, causal masks and dropout among them") {
  const Threads one_thread(1);
  for (const bool causal : {false, true}) {
    for (const double rate : {0.0, 0.4}) {
      CAPTURE(causal);
      CAPTURE(rate);
      const auto config = with_dropout(test::plain_arm(), rate);
      const auto batch = test::random_batch(config, {24, 22, 19, 24}, 77);
      train::PackedTexts texts{.offsets = batch.offsets, .heads = 3, .scale = 1, .causal = causal, .masks = {}};
      for (size_t text = 0; text < batch.texts(); ++text) {
        texts.masks.push_back(train::Dropout(config, 3, 8).attention_mask(std::to_string(text)));
      }
      // Slots in another order than tokens, the last text without token 3, the second without any after the 20th.
      train::SlotGroup group{.texts = {0, 3, 1}, .tokens = {}, .index = {}};
      for (int32_t text = 0; text < 3; ++text) {
        for (int32_t slot = 0; slot < 25; ++slot) {
          const int32_t index = slot == 24 ? -1 : (slot * 7 + text) % 24;
          group.index.push_back((text == 2 && index > 21) || (text == 1 && slot % 5 == 3) ? -1 : index);
        }
      }
      at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
      const at::Tensor scores = at::randn({3, 3, 25, 25}, generator, at::TensorOptions().dtype(at::kDouble)).mul_(3);
      const at::Tensor down = at::randn({3, 3, 25, 25}, generator, at::TensorOptions().dtype(at::kDouble));
      const auto computed = [&](at::ScalarType type, const auto& function) {
        const at::Tensor leaf = scores.to(type).detach().clone().requires_grad_();
        const at::Tensor weights = function(leaf, group, texts);
        (weights * down.to(type)).sum().backward();
        return std::pair(weights.detach(), leaf.grad());
      };
      const auto want = computed(at::kDouble, train::slot_weights_by_tensors);
      for (const auto& [type, tolerance] : {std::pair(at::kDouble, 1e-13), std::pair(at::kFloat, 2e-6)}) {
        const auto got = computed(type, train::slot_weights);
        CHECK(difference(got.first, want.first) < tolerance);
        CHECK(difference(got.second, want.second) < tolerance);
      }
    }
  }
}

}  // namespace summand
