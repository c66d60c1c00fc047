#include "train/finetune/labelled/constant_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace summand::train {

std::vector<std::string> constant_label_lines(const FinetuneRequest& request, const NumberLabels& labels) {
  std::vector<std::string> lines;
  const auto tell = [&](std::span<const double> own, const std::string& file, std::string_view whose,
                        std::string_view so) {
    if (own.empty() || std::ranges::adjacent_find(own, std::not_equal_to()) != own.end()) return;
    const std::string which = own.size() == 1 ? fmt::format("the only label{} is", whose)
                                              : fmt::format("all {} labels{} are", own.size(), whose);
    lines.push_back(fmt::format("{}: {} {}{}", printable(file), which, own.front(), so));
  };
  const std::string_view scores = request.options.task == FinetuneTask::rank
                                      ? ", so average precision and reciprocal rank say nothing about the model"
                                      : ", so Pearson's and Spearman's correlations with them are 0";
  tell(labels.train, request.train, " to train on", ": there is nothing to learn");
  if (request.valid.empty()) {
    tell(labels.valid, request.train, " of the validation's share", scores);
  } else {
    tell(labels.valid, request.valid, "", scores);
  }
  tell(labels.test, request.test, "", scores);
  return lines;
}

}  // namespace summand::train
