// Experiments run side by side, and one listener is told of all of them.
#include "lab/run/side_by_side.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "lab/run/progress_of_run.hpp"

using namespace summand::lab;

TEST_CASE("every task runs once, and as many at a time as there are lanes") {
  constexpr size_t kTasks = 12;
  for (const size_t lanes : {size_t{1}, size_t{2}, size_t{3}}) {
    CAPTURE(lanes);
    std::array<std::atomic<int>, kTasks> ran{};
    std::mutex mutex;
    std::condition_variable met;
    size_t under_way = 0;
    bool all_met = false;
    run_side_by_side(kTasks, lanes, [&](size_t i) {
      ++ran[i];
      std::unique_lock lock(mutex);
      ++under_way;
      all_met = all_met || under_way == lanes;
      met.notify_all();
      met.wait(lock, [&] { return all_met; });  // for ever, were there fewer lanes
      CHECK(under_way <= lanes);
      --under_way;
    });
    for (const auto& times : ran) CHECK(times == 1);
  }
  run_side_by_side(0, 2, [](size_t) { FAIL("there is no task"); });
}

TEST_CASE("the first exception comes out, and nothing is begun behind it") {
  std::vector<size_t> ran;
  const auto task = [&](size_t i) {
    ran.push_back(i);
    if (i == 2) throw std::runtime_error("the third");
  };
  CHECK_THROWS_WITH_AS(run_side_by_side(9, 1, task), "the third", std::runtime_error);
  CHECK(ran == std::vector<size_t>{0, 1, 2});
  CHECK_THROWS_AS(run_side_by_side(9, 4, [](size_t) { throw std::logic_error("each"); }), std::logic_error);
}

TEST_CASE("the share of a run is that of its work, whatever ends first") {
  Experiment long_one;
  long_one.name = "long";
  long_one.effort = 6;
  Experiment short_one;
  short_one.name = "short";
  short_one.effort = 2;
  std::vector<LaboratoryProgress> told;
  ProgressOfRun progress({&long_one, &short_one}, [&](const LaboratoryProgress& one) { told.push_back(one); });
  progress.begin(long_one);
  CHECK(told.back().under_way == "long");
  CHECK(told.back().share == 0);
  progress.go_on(long_one, 0.5);
  progress.begin(short_one);
  CHECK(told.back().under_way == "long, short");
  CHECK(told.back().share == doctest::Approx(3.0 / 8));
  progress.end(short_one, true);
  CHECK(told.back().under_way == "long");
  CHECK(told.back().ended == 1);
  CHECK(told.back().count == 2);
  CHECK(told.back().share == doctest::Approx(5.0 / 8));
  CHECK(told.back().kept == doctest::Approx(2.0 / 8));
  progress.end(long_one, false);
  CHECK(told.back().share == doctest::Approx(1));
  CHECK(told.back().under_way.empty());
}
