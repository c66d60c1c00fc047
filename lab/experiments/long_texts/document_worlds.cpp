#include "lab/experiments/long_texts/document_worlds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/interval_figure.hpp"
#include "lab/core/localize.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

using Eigen::Index;

std::vector<size_t> World::own() const {
  std::vector<size_t> rows(documents.sentences.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

std::vector<size_t> World::exchanged() const {
  auto rows = own();
  std::ranges::rotate(rows, rows.begin() + 1);
  return rows;
}

std::vector<double> World::found_by(Treatment treatment, const std::vector<size_t>& rows, const Sought& sought) const {
  return found(vectors(treatment), documents, *sentences, rows, sought);
}

std::vector<double> World::content_of(Treatment treatment, const std::vector<size_t>& rows) const {
  Table dealt(vectors(treatment).rows(), vectors(treatment).cols());
  for (size_t i = 0; i < rows.size(); ++i) {
    dealt.row(static_cast<Index>(i)) = vectors(treatment).row(static_cast<Index>(rows[i]));
  }
  return contents_kept(dealt, documents);
}

Figure parts_figure(const Worlds& worlds) {
  using namespace chart;
  const std::vector<Look> looks{{.colour = "@orange", .dash = {6, 3}, .shape = "square"},
                                {.colour = "@purple", .dash = {8, 3, 2, 3}, .shape = "diamond"},
                                {.colour = "@red", .dash = {2, 2}, .shape = "triangle-up"},
                                {.colour = "@blue", .width = 2.5},
                                {.colour = "@green", .dash = {4, 2}, .shape = "cross"}};
  std::vector<LocalizedText> part;
  std::vector<double> share;
  std::vector<LocalizedText> what;
  std::vector<Series> series;
  const auto text = [](const char* name) {
    return localize(std::string("long_texts.figures.long-texts-parts.") + name);
  };
  const std::vector<LocalizedText> places{text("beginning"), text("middle"), text("end")};
  const auto add = [&](const World& world, Treatment treatment, const Series& one) {
    series.push_back(one);
    for (size_t i = 0; i < kDocumentParts.size(); ++i) {
      auto values = world.found_by(treatment, world.own(), {.part = kDocumentParts[i]});
      std::erase_if(values, [](double value) { return !std::isfinite(value); });
      part.push_back(places[i]);
      share.push_back(values.empty() ? std::nan("") : mean(values));
      what.push_back(one.words);
    }
  };
  for (size_t i = 0; i < kTreatments.size(); ++i)
    add(worlds.longer, kTreatments[i], {words_of(kTreatments[i]), looks[i]});
  add(worlds.fitting, Treatment::one_pass, {text("fitting"), {.colour = "@faint", .dash = {1, 3}}});
  Json y = scaled(number("found", text("found")), {{"zero", false}});
  Json lines =
      mark({{"type", "line"}, {"point", true}},
           of_lines({{"x", name("part", text("part"))}, {"y", std::move(y)}}, "by", text("treatment"), series));
  return {.name = "long-texts-parts",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({std::move(lines), rule("y", 0.5), rule_label("y", 0.5, text("chance"))}),
          .data = FigureData{{{"part", part}, {"found", share}, {"by", what}}}};
}

Figure content_figure(const Numbers& numbers) {
  using long_texts::kContent;
  const auto text = [](const char* name) {
    return localize(std::string("long_texts.figures.long-texts-content.") + name);
  };
  std::vector<IntervalRow> rows;
  for (const auto treatment : kTreatments) {
    const Number& content = numbers.at(kContent.of(name_of(treatment)));
    rows.push_back({words_of(treatment), content.value, *content.interval});
  }
  const Number& any = numbers.at(kContent.of(name_of(Treatment::head)));
  rows.push_back({any.null->of, any.null->value, *any.null->interval});
  rows.push_back({any.control->of, any.control->value, *any.control->interval});
  return interval_figure(
      {.name = "long-texts-content", .title = text("title"), .caption = text("caption"), .axis = text("cosine")}, rows);
}

}  // namespace summand::lab
