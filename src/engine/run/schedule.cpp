#include "engine/run/schedule.hpp"

#include <algorithm>

#include "engine/kernels/rounding.hpp"

namespace summand::engine {

namespace {

/// A shared step costs some waiting, so one thread may have this much more than its fair share before sharing pays.
constexpr double kUnfairness = 1.3;

/// How many tokens a group may hold so that every thread gets the same number of groups.
size_t group_limit(size_t tokens, size_t threads) {
  const size_t rounds = std::max<size_t>(1, divided_up(tokens, threads * kPanelRows));
  return divided_up(tokens, threads * rounds);
}

/// Texts that no group has taken yet, by length.
class Waiting {
 public:
  Waiting(const model::Batch& batch, size_t longest) : by_length_(longest + 1), longest_(longest) {
    for (size_t text = batch.texts(); text-- > 0;) by_length_[batch.length(text)].push_back(text);
  }

  /// The longest of at most `limit` tokens, or 0 if only texts without tokens are left below that.
  [[nodiscard]] size_t longest_up_to(size_t limit) {
    while (longest_ > 0 && by_length_[longest_].empty()) --longest_;
    size_t length = std::min(limit, longest_);
    while (length > 0 && by_length_[length].empty()) --length;
    return length;
  }
  size_t take(size_t length) {
    const size_t text = by_length_[length].back();
    by_length_[length].pop_back();
    return text;
  }

 private:
  std::vector<std::vector<size_t>> by_length_;
  size_t longest_;  // none is longer
};

size_t longest_text(const model::Batch& batch) {
  size_t longest = 0;
  for (size_t text = 0; text < batch.texts(); ++text) longest = std::max(longest, batch.length(text));
  return longest;
}

/// Fills one group after the other: first the longest text that waits, then always the longest that still fits.
void fill_groups(const model::Batch& batch, size_t limit, Schedule& plan) {
  Waiting waiting(batch, plan.longest_text);
  for (size_t length = plan.longest_text; length > 0; length = waiting.longest_up_to(plan.longest_text)) {
    Group group{.begin = plan.texts.size()};
    for (; length > 0; length = waiting.longest_up_to(limit - std::min(limit, group.tokens))) {
      plan.texts.push_back(waiting.take(length));
      plan.first_row.push_back(group.tokens);
      group.tokens += length;
    }
    group.end = plan.texts.size();
    plan.largest_group = std::max(plan.largest_group, group.tokens);
    plan.most_texts = std::max(plan.most_texts, group.end - group.begin);
    plan.groups.push_back(group);
  }
}

}  // namespace

Schedule schedule(const model::Batch& batch, int threads) {
  Schedule plan;
  plan.longest_text = longest_text(batch);
  if (plan.longest_text == 0) return plan;
  const auto workers = static_cast<size_t>(threads);
  const double fair_share = static_cast<double>(batch.tokens()) / static_cast<double>(workers);
  const bool one_outweighs = static_cast<double>(plan.longest_text) > kUnfairness * fair_share;
  if (workers > 1 && one_outweighs) {
    plan.sharing = Sharing::all_threads_share;
    fill_groups(batch, workers * kPanelRows, plan);
  } else {
    fill_groups(batch, group_limit(batch.tokens(), workers), plan);
  }
  return plan;
}

Schedule one_text_at_a_time(const model::Batch& batch) {
  Schedule plan;
  plan.longest_text = plan.largest_group = longest_text(batch);
  plan.most_texts = plan.longest_text > 0 ? 1 : 0;
  for (size_t text = 0; text < batch.texts(); ++text) {
    if (batch.length(text) == 0) continue;
    plan.groups.push_back({.begin = plan.texts.size(), .end = plan.texts.size() + 1, .tokens = batch.length(text)});
    plan.texts.push_back(text);
    plan.first_row.push_back(0);
  }
  return plan;
}

}  // namespace summand::engine
