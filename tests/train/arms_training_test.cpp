#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

#include <ATen/Parallel.h>

#include "arms.hpp"
#include "model/initialise.hpp"
#include "small_tokens.hpp"
#include "train/data/write_tokens.hpp"
#include "train/pretrain/pretraining_task.hpp"
#include "train/run/learner.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

// Every arm learns: 200 steps on sentences of letters that follow one another in the alphabet.

namespace summand {

namespace {

constexpr int kLetters = 24;
constexpr int kVocabulary = 5 + kLetters;  // with the special tokens: the arms' own
constexpr int64_t kSteps = 200;
constexpr double kMargin = 0.05;  // nats: three standard errors of a loss over about 1,100 masked letters
constexpr int64_t kLast = 20;     // of these, whose mean loss counts

/// Documents of sentences as "f g h i j", the alphabet going round, any letter as likely as another.
std::string alphabets() {
  RandomStream stream(1, "alphabets");
  std::string text;
  for (int document = 0; document < 200; ++document) {
    for (int sentence = 0; sentence < 4; ++sentence) {
      const size_t first = stream.below(kLetters);
      const size_t letters = 5 + stream.below(8);
      for (size_t i = 0; i < letters; ++i)
        text += std::string(1, static_cast<char>('a' + (first + i) % kLetters)) + " ";
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

text::Tokenizer letters(const std::filesystem::path& folder) {
  std::vector<std::string> tokens(text::kSpecialTokens.begin(), text::kSpecialTokens.end());
  for (int letter = 0; letter < kLetters; ++letter) tokens.emplace_back(1, static_cast<char>('a' + letter));
  return test::tokenizer_of(tokens, folder);
}

/// The mean masked loss of the last steps, in nats.
double trained(const test::Arm& arm, const train::TokenFile& file, const train::SpecialIds& ids) {
  train::PretrainOptions options;
  options.learning.steps = kSteps;
  options.batch_tokens = 384;
  options.phases = {{.length = 16, .share = 1}};
  options.pairs = train::Pairs::next_sentence;
  options.learning.learning_rate = 1e-2;
  options.learning.warmup = 10;
  const model::ModelParts parts{.pooler = model::Pooler::present,
                                .heads = {model::Head::masked_language, model::Head::next_sentence},
                                .decoder = arm.config.tie_word_embeddings ? model::Decoder::tied : model::Decoder::own};
  train::Network network(arm.config, parts, model::initialise(arm.config, parts, 1));
  train::PretrainingTask task(arm.config, file, ids, options);
  train::Learner learner(network, task, options.learning);
  train::Sums last;
  for (int64_t step = 1; step <= kSteps; ++step) {
    const auto result = learner.step();
    if (step > kSteps - kLast) train::add(last, result.work.sums);
  }
  return train::loss_sums(last).mean_masked_loss();
}

/// Trains those of the arms, in their order, that are chosen.
template <class Chosen>
void check_arms(const Chosen& chosen) {
  at::set_num_threads(1);  // for products as small as these a second one is only waited for
  const test::Folder folder;
  const auto tokenizer = letters(folder.path() / "tokenizer");
  const auto ids = train::SpecialIds::of(tokenizer);
  train::DocumentReader reader({folder.write("texts.txt", alphabets()).string()});
  (void)train::write_tokens(reader, tokenizer, folder.path() / "tokens", "alphabets", 1);
  const auto file = train::TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  const double unigram = std::log(kLetters);
  const char* only = std::getenv("SUMMAND_ARM");  // one of them, by its name, for who works on it
  size_t number = 0;
  for (auto arm : test::single_arms()) {
    if (!chosen(number++) || (only != nullptr && arm.name != only)) continue;
    if (arm.name != "plain" && arm.config == test::plain_arm()) continue;  // once is enough
    CAPTURE(arm.name);
    // A token table of another shape than the decoder's cannot be tied to it.
    arm.config.tie_word_embeddings =
        arm.config.part_widths().token == 12 && arm.config.token_table_rows() == kVocabulary;
    arm.config.initializer_range = 0.2;  // twelve coordinates: as large as BERT's 768 of 0.02 make the sums
    // Sines of amplitude 1 would drown tokens of 0.2; whoever takes them scales one or the other (Vaswani et al.
    // 2017, 3.4).
    model::visit_kind_fields(arm.config.position, [](std::string_view name, auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, double>) {
        if (name == "scale") field = 0.2;
      }
    });
    // Dropout runs in each, too; twelve units of ReLU die of it.
    const double dropout = arm.config.hidden_act == model::Activation::relu ? 0 : 0.1;
    arm.config.hidden_dropout_prob = dropout;
    arm.config.attention_probs_dropout_prob = dropout;
    double loss = 0;
    CHECK_NOTHROW(loss = trained(arm, file, ids));
    CHECK(loss < unigram - kMargin);
    MESSAGE(arm.name << ": " << loss << " nats, unigram " << unigram);
  }
}

constexpr size_t kEach = 12;

}  // namespace

TEST_CASE("every twelfth arm trains for 200 steps without a NaN and ends below the unigram entropy") {
  check_arms([](size_t number) { return number % kEach == 0; });
}

TEST_CASE("and so do all others" * doctest::test_suite("long")) {
  check_arms([](size_t number) { return number % kEach != 0; });
}

}  // namespace summand
