#include "lab/run/progress_of_run.hpp"

#include <algorithm>
#include <utility>

namespace summand::lab {

ProgressOfRun::ProgressOfRun(const std::vector<const Experiment*>& list,
                             std::function<void(const LaboratoryProgress&)> listener)
    : listener_(std::move(listener)) {
  state_.count = list.size();
  for (const Experiment* experiment : list) effort_ += experiment->effort;
}

void ProgressOfRun::begin(const Experiment& experiment) {
  const std::lock_guard lock(mutex_);
  under_way_.push_back({.experiment = &experiment});
  tell();
}

void ProgressOfRun::go_on(const Experiment& experiment, double share) {
  const std::lock_guard lock(mutex_);
  std::ranges::find(under_way_, &experiment, &UnderWay::experiment)->share = share;
  tell();
}

void ProgressOfRun::end(const Experiment& experiment, bool kept) {
  const std::lock_guard lock(mutex_);
  std::erase_if(under_way_, [&](const UnderWay& one) { return one.experiment == &experiment; });
  ++state_.ended;
  ended_ += experiment.effort;
  if (kept) kept_ += experiment.effort;
  tell();
}

void ProgressOfRun::tell() {
  double done = ended_;
  state_.under_way.clear();
  state_.titles = {};
  for (const auto& [experiment, share] : under_way_) {
    done += share * experiment->effort;
    const auto& title = experiment->title;
    state_.titles.en += (state_.titles.en.empty() ? "" : "; ") + title.en;
    state_.titles.zh += (state_.titles.zh.empty() ? "" : "；") + title.zh;
    state_.under_way += (state_.under_way.empty() ? "" : ", ") + experiment->name;
  }
  state_.share = done / effort_;
  state_.kept = kept_ / effort_;
  listener_(state_);
}

}  // namespace summand::lab
