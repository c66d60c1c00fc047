#include "train/run/progress_reporter.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "terminal/duration.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::train {

void ProgressReporter::tell(const RunNews& news) {
  switch (news.kind) {
    case RunNews::Kind::tokens:
      if (line_.is_due()) line_.show("tokenizing: " + news.text);
      break;
    case RunNews::Kind::notice:
      line_.clear();
      terminal::print_to_stderr("{}", news.text);
      break;
    case RunNews::Kind::begins:
      line_.clear();
      if (news.state->progress.step > 0)
        terminal::print_to_stderr("continues after step {} of {}", news.state->progress.step, news.steps);
      break;
    case RunNews::Kind::step:
      if (line_.is_due()) {
        line_.show(fmt::format("step {} of {}, loss {:.3f}, {:.0f} tokens/s, {} left", news.state->progress.step,
                               news.steps, news.loss, news.tokens_per_second,
                               terminal::duration_text(news.seconds_left)));
      }
      break;
    case RunNews::Kind::validation:
      line_.clear();
      std::printf("%s\n", news.text.c_str());
      std::fflush(stdout);
      break;
    case RunNews::Kind::saved:
      break;
  }
}

int tell_ending(const RunReport& report, const std::filesystem::path& out, const std::string& goal) {
  const RunState& state = report.state;
  switch (report.ending) {
    case Ending::interrupted:
      terminal::print_to_stderr("interrupted; step {} is saved in {}; the same command with --resume goes on",
                                state.progress.step, out.string());
      return 128 + report.signal;
    case Ending::stopped_early:
      std::printf("stopped after step %lld: %lld validations without a %s\n",
                  static_cast<long long>(state.progress.step), static_cast<long long>(state.without_gain),
                  goal.c_str());
      break;
    case Ending::finished:
      break;
  }
  return 0;
}

}  // namespace summand::train
