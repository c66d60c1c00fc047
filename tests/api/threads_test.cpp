// What the public headers say of threads. Run under the thread sanitizer as well: scripts/test_threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "summand/summand.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

constexpr int kThreads = 4;  // of each model
constexpr int kRounds = 20;
constexpr std::chrono::milliseconds kGone{100};  // a joined thread is listed a moment longer, in an emulator above all

const std::vector<Text> kTexts{"a b c",      "",
                               {"x y", "z"}, "q w e r t y u i o p a s d f g h j k l z x c v b n m",
                               "? a",        Text::of_words({"k l", "m"}),
                               {"", "h"}};

const std::vector<Text> kMasked{"a [MASK] c", "[MASK] b [MASK]"};
const std::vector<Text> kPairs{{"a", "b c"}, {"x y z", ""}};
const std::vector<Text> kSingle{"a b c", "", Text::of_words({"k l", "m"}), "? a"};

/// The heads of a model with a pooler, and those of one without.
TinyDirectory pooled_model(const std::string& name, uint32_t seed) {
  return TinyDirectory(name, seed,
                       {.pooler = model::Pooler::present,
                        .heads = {Head::masked_language, Head::next_sentence, Head::sequence_classification}});
}
TinyDirectory tagging_model(const std::string& name, uint32_t seed) {
  return TinyDirectory(name, seed, {.heads = {Head::masked_language, Head::token_classification}});
}

bool same(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && std::ranges::equal(a.elements(), b.elements());
}

/// Everything that a model computes of kTexts, to be compared bit by bit.
struct Results {
  Matrix<float> vectors;
  HiddenStates hidden;
  std::vector<Encoding> encodings;
  std::vector<double> scores;

  explicit Results(const Model& model) : vectors(model.embed(kTexts).vectors), hidden(model.hidden(kTexts)) {
    for (const auto& text : kTexts) encodings.push_back(model.tokenize(text));
    for (const auto& text : model.fill_mask(kMasked).texts) {
      for (const auto& mask : text) {
        for (const auto& filling : mask.fillings)
          scores.insert(scores.end(), {filling.score, static_cast<double>(filling.id)});
      }
    }
    for (const Head head : model.info().heads) {
      if (head == Head::next_sentence) {
        for (const auto& pair : model.next_sentence(kPairs).pairs) scores.push_back(pair.is_next);
      } else if (head == Head::sequence_classification) {
        const ClassifyOptions windows{.windows = WindowOptions{.overlap = 2}, .top = 2};
        for (const auto& text : model.classify(kTexts, windows).texts) {
          for (const auto& label : text) scores.insert(scores.end(), {label.score, label.logit});
        }
      } else if (head == Head::token_classification) {
        for (const auto& text : model.tag(kSingle).texts) {
          for (const auto& tag : text) scores.insert(scores.end(), {tag.score, static_cast<double>(tag.bytes.end)});
        }
      }
    }
  }
  [[nodiscard]] bool operator==(const Results& other) const {
    return same(vectors, other.vectors) && same(hidden.pooled, other.hidden.pooled) &&
           std::ranges::equal(hidden.states, other.hidden.states, same) && scores == other.scores &&
           std::ranges::equal(encodings, other.encodings, {}, &Encoding::ids, &Encoding::ids);
  }
};

/// A model in the precision, or in fp32 on a machine without.
Model load(const TinyDirectory& directory, int threads, Precision precision) {
  try {
    return Model::load(directory.name(), {.threads = threads, .precision = precision});
  } catch (const UsageError&) {
    return Model::load(directory.name(), {.threads = threads});
  }
}

int threads_of_process() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

/// Runs each job on a thread of its own, all at a time, and counts the threads of the process once all jobs have ended
/// and none of their threads has: a pool keeps its threads, so that is the most there were.
int threads_after(const std::vector<std::function<void()>>& jobs) {
  std::barrier all_there(static_cast<std::ptrdiff_t>(jobs.size()));
  std::barrier all_ended(static_cast<std::ptrdiff_t>(jobs.size()) + 1);
  std::barrier counted(static_cast<std::ptrdiff_t>(jobs.size()) + 1);
  std::vector<std::thread> callers;
  for (const auto& job : jobs) {
    callers.emplace_back([&] {
      all_there.arrive_and_wait();
      job();
      all_ended.arrive_and_wait();
      counted.arrive_and_wait();
    });
  }
  all_ended.arrive_and_wait();
  const int threads = threads_of_process();
  counted.arrive_and_wait();
  for (auto& caller : callers) caller.join();
  return threads;
}

}  // namespace

// The first test of this program: no pool is there before it.
TEST_CASE("calls on several models at once give the bits of one after the other, on callers and the one pool") {
  const auto first = pooled_model("threads_first", 1);
  const auto second = tagging_model("threads_second", 2);
  std::thread([] {}).join();  // with the first one, the thread sanitizer starts a thread of its own
  std::this_thread::sleep_for(kGone);
  const int before = threads_of_process();
  const auto one = Model::load(first.name(), {.threads = kThreads});
  const auto other = load(second, kThreads - 1, Precision::int8);
  const Results of_one(one);
  const Results of_other(other);
  constexpr size_t kFilled = size_t{3} * 5 * 2;
  REQUIRE(of_one.scores.size() == kFilled + kPairs.size() + kTexts.size() * 2 * 2);
  REQUIRE(of_other.scores.size() > kFilled);
  REQUIRE_FALSE(same(of_one.vectors, of_other.vectors));

  constexpr int kCallers = 6;
  std::atomic<int> differing{0};
  std::vector<std::function<void()>> jobs;
  for (int caller = 0; caller < kCallers; ++caller) {
    jobs.emplace_back([&, caller] {
      for (int round = 0; round < kRounds; ++round) {
        const bool first_model = (caller + round) % 2 == 0;
        if (!(Results(first_model ? one : other) == (first_model ? of_one : of_other))) differing.fetch_add(1);
      }
    });
  }
  const int most = threads_after(jobs);
  CHECK(differing.load() == 0);
  CHECK(most == before + kCallers + kThreads - 1);
}

TEST_CASE("models come and go beside a running one, which notices nothing") {
  const auto directory = tagging_model("threads_load", 3);
  const auto model = load(directory, kThreads, Precision::bf16);
  const Results expected(model);
  std::atomic<int> differing{0};
  const auto use = [&] {
    for (int round = 0; round < kRounds; ++round) differing.fetch_add(Results(model) == expected ? 0 : 1);
  };
  const auto load_and_drop = [&] {
    for (int round = 0; round < kRounds; ++round) {
      auto loaded = load(directory, kThreads, Precision::bf16);
      const auto moved = std::move(loaded);
      differing.fetch_add(Results(moved) == expected ? 0 : 1);
    }
  };
  threads_after({use, load_and_drop, use, load_and_drop});
  CHECK(differing.load() == 0);
}

TEST_CASE("a call that throws disturbs no other") {
  const auto directory = pooled_model("threads_errors", 4);
  const auto model = Model::load(directory.name(), {.threads = kThreads});
  const Results expected(model);
  std::atomic<int> differing{0};
  std::atomic<int> refused{0};
  const auto use = [&] {
    for (int round = 0; round < kRounds; ++round) differing.fetch_add(Results(model) == expected ? 0 : 1);
  };
  const auto fail = [&] {
    for (int round = 0; round < 10 * kRounds; ++round) {
      try {
        (void)model.embed(kTexts, {.length = {.truncation = Truncation::none, .max_length = 5}});
      } catch (const TextError&) {
        refused.fetch_add(1);
      }
    }
  };
  threads_after({use, fail, use, fail});
  CHECK(differing.load() == 0);
  CHECK(refused.load() == 2 * 10 * kRounds);
}
