#include "lab/experiments/long_texts/document_worlds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/interval_figure.hpp"
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
  std::vector<Words> part;
  std::vector<double> share;
  std::vector<Words> what;
  std::vector<Series> series;
  const std::vector<Words> places{{"beginning", "开头三分之一"}, {"middle", "中间三分之一"}, {"end", "末尾三分之一"}};
  const auto add = [&](const World& world, Treatment treatment, const Series& one) {
    series.push_back(one);
    for (size_t i = 0; i < kParts.size(); ++i) {
      auto values = world.found_by(treatment, world.own(), {.part = kParts[i]});
      std::erase_if(values, [](double value) { return !std::isfinite(value); });
      part.push_back(places[i]);
      share.push_back(values.empty() ? std::nan("") : mean(values));
      what.push_back(one.words);
    }
  };
  for (size_t i = 0; i < kTreatments.size(); ++i)
    add(worlds.longer, kTreatments[i], {words_of(kTreatments[i]), looks[i]});
  add(worlds.fitting, Treatment::one_pass,
      {{"whole, documents that fit", "容得下的文档，整篇"}, {.colour = "@faint", .dash = {1, 3}}});
  Json y = scaled(number("found", {"sentences found, share", "找对的句子（比例）"}), {{"zero", false}});
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", name("part", {"the sentence's place in its document", "句子在文档中的位置"})},
                              {"y", std::move(y)}},
                             "by", {"treatment", "处理办法"}, series));
  return {.name = "long-texts-parts",
          .title = {"Which sentences find their document", "哪些句子能找到自己的文档"},
          .caption = {"A sentence, embedded alone, and two documents, one of them with it: how often that one is "
                      "nearer. One half is chance.",
                      "单独编码的一句话与两篇文档，其中一篇含有它：含有它的一篇更近的比例。一半即为碰运气。"},
          .specification = layers({std::move(lines), rule("y", 0.5), rule_label("y", 0.5, {"chance", "随机"})}),
          .data = FigureData{{{"part", part}, {"found", share}, {"by", what}}}};
}

Figure content_figure(const Numbers& numbers) {
  std::vector<IntervalRow> rows;
  for (const auto treatment : kTreatments) {
    const Number& content = numbers.at("content_" + name_of(treatment));
    rows.push_back({words_of(treatment), content.value, *content.interval});
  }
  const Number& any = numbers.at("content_head");
  rows.push_back({any.null->of, any.null->value, *any.null->interval});
  rows.push_back({any.control->of, any.control->value, *any.control->interval});
  return interval_figure(
      {.name = "long-texts-content",
       .title = {"What a document's vector keeps of the whole", "文档向量保住整篇多少内容"},
       .caption = {"Cosine with the mean vector of all the document's sentences, each less its mean over documents, "
                   "with 95 % intervals over documents. The last two rows are the null and the control.",
                   "与文档全部句子的平均向量的余弦（各减去对全部文档的均值），附文档自助法 95% "
                   "区间。末两行为零模型与阳性对照。"},
       .axis = {"cosine with the mean of all sentences", "与全部句子均值的余弦"}},
      rows);
}

}  // namespace summand::lab
