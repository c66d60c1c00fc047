#include "api/heads/rerank.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/head_run.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "model/heads.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

struct RerankRequest {
  HeadOptions head;
  std::string query;
  size_t top = 0;
};

/// The ids of the passages as they are read: a ranking has their places alone. Nothing is kept of passages without.
class PassageIds {
 public:
  [[nodiscard]] api::NextRecord noting(api::NextRecord next) {
    return [this, next = std::move(next)] {
      auto record = next();
      if (record && !record->id.empty()) {
        ids_.resize(passages_);
        ids_.push_back(record->id);
      }
      ++passages_;
      return record;
    };
  }
  [[nodiscard]] bool are_there() const { return !ids_.empty(); }
  /// Empty where the passage has none.
  [[nodiscard]] std::string of(size_t passage) const { return passage < ids_.size() ? ids_[passage] : std::string(); }

 private:
  std::vector<std::string> ids_;
  size_t passages_ = 0;
};

void print(const api::Ranking& ranking, const PassageIds& ids) {
  terminal::Table table({{"rank", terminal::Align::right, ""},
                         {"score", terminal::Align::right, ""},
                         {"logit", terminal::Align::right, ""},
                         {ids.are_there() ? "id" : "line", terminal::Align::right, ""},
                         {"passage", terminal::Align::left, ""}});
  for (size_t rank = 0; rank < ranking.passages.size(); ++rank) {
    const auto& passage = ranking.passages[rank];
    const auto id = ids.of(passage.index);
    const auto name = ids.are_there() ? shown_id(id_json(id)) : std::to_string(passage.index + 1);
    table.add({std::to_string(rank + 1), terminal::score_text(passage.score), terminal::fixed(passage.logit, 4),
               terminal::shortened(name, kIdWidth), terminal::shortened(passage.text, terminal::kTextWidth)});
  }
  table.print(stdout);
}

void print_lines(const api::Ranking& ranking, const PassageIds& ids) {
  for (size_t rank = 0; rank < ranking.passages.size(); ++rank) {
    const auto& passage = ranking.passages[rank];
    print_json_line(with_id(ids.of(passage.index), {{"rank", rank + 1},
                                                    {"index", passage.index},
                                                    {"score", passage.score},
                                                    {"logit", passage.logit},
                                                    {"text", passage.text}}));
  }
}

void run(const RerankRequest& options) {
  (void)check_utf8(options.head.input, "--query", options.query);
  HeadRun run(options.head, model::Head::sequence_classification);
  auto reading = run.reading();
  if (options.head.logits) {
    reading.query = options.query;
    return run.write_logits(reading);
  }
  api::RerankOptions rerank{.length = reading.length, .windows = reading.windows};
  if (options.top > 0) rerank.top = options.top;
  PassageIds ids;
  const auto ranking = api::rerank(run.model(), options.query, ids.noting(run.records()), rerank);
  run.report(ranking.count);
  if (options.head.common.json) return print_lines(ranking, ids);
  print(ranking, ids);
}

}  // namespace

void add_rerank(CLI::App& program) {
  auto* verb = program.add_subcommand("rerank", "Order passages by how well they answer a query, best first");
  const auto options = std::make_shared<RerankRequest>();
  add_head_input(*verb, options->head);
  verb->add_option("--query", options->query, "The query that passages are to answer")->required()->option_text("TEXT");
  verb->add_option("--top", options->top, "Passages to show; default: all")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  add_head_output(*verb, options->head);
  add_head_windows(*verb, options->head.windows);
  verb->footer(
      "Takes a model with one label (a cross-encoder). The score is the logit's sigmoid, or the activation that the\n"
      "model's directory names for sentence-transformers' CrossEncoder.\n"
      "With --windows a long passage counts as the mean or the best of its windows.\n"
      "With --json one object per passage and line, best first:\n"
      "{\"rank\":…,\"index\":…,\"score\":…,\"logit\":…,\"text\":…}\n"
      "rank counts from 1; index is the passage's place in the input, from 0; \"id\" comes first if there is one.\n"
      "With --logits: logits [passages, 1] in the input's order; offsets [passages + 1].\n"
      "Example:\n"
      "  summand rerank --model DIR --query 'Who wrote Faust?' passages.txt --top 10");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
