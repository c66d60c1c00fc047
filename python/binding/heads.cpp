#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/characters.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/texts.hpp"

namespace summand::python {

namespace {

using Points = std::vector<std::string>;

/// Where a call cuts texts that it reads as training did.
CutLimit trained_limit(const Model& model, const LengthOptions& length) {
  const ModelInfo& info = model.info();
  if (info.most_windows > 0 && !length.truncation) return {info.most_windows, "windows"};
  return info.reading && !length.max_length ? info.reading->length.max_length.value() : limit_of(model, length);
}

nb::list fill_mask(const SharedModel& self, nb::handle texts, size_t top_k, const std::vector<std::string>& targets,
                   const Name& truncation, std::optional<size_t> max_length, const Points& points,
                   const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "texts", TextKind::text_or_pair);
  FillMaskOptions options{
      .length = length_options(truncation, max_length), .top = top_k, .taps = taps_of(points, visit)};
  for (const std::string& target : targets) {
    const auto id = model->token_id(target);
    if (!id) throw UsageError("targets", "expected tokens of the vocabulary, got '" + api::printable(target) + "'");
    options.targets.push_back(*id);
  }
  nb::list all;
  const auto take = [&](size_t, const FilledTexts& part) {
    for (const auto& of_text : part.texts) {
      nb::list masks;
      for (const FilledMask& mask : of_text) {
        nb::list fillings;
        for (const Filling& filling : mask.fillings) {
          nb::dict dict;
          dict["score"] = filling.score;
          dict["token"] = filling.id;
          dict["token_str"] = filling.token;
          dict["sequence"] = filling.sequence;
          fillings.append(dict);
        }
        masks.append(fillings);
      }
      all.append(masks);
    }
  };
  run_in_parts(
      given.views(), options.taps, limit_of(*model, options.length),
      [&](const TextList& part) { return model->fill_mask(part, options); }, take);
  return all;
}

nb::list classify(const SharedModel& self, nb::handle texts, std::optional<size_t> top_k, const Name& truncation,
                  std::optional<size_t> max_length, const Name& windows, size_t overlap, const Points& points,
                  const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "texts", TextKind::text_or_pair);
  const ClassifyOptions options{.length = length_options(truncation, max_length),
                                .windows = window_options(windows, overlap),
                                .top = top_k,
                                .taps = taps_of(points, visit)};
  nb::list all;
  const auto take = [&](size_t, const ClassifiedTexts& part) {
    for (const auto& labels : part.texts) {
      nb::list of_text;
      for (const LabelScore& one : labels) {
        nb::dict dict;
        dict["label"] = one.label;
        dict["score"] = one.score;
        of_text.append(dict);
      }
      all.append(of_text);
    }
  };
  run_in_parts(
      given.views(), options.taps, trained_limit(*model, options.length),
      [&](const TextList& part) { return model->classify(part, options); }, take);
  return all;
}

/// (scores [texts, labels], logits [texts, labels])
nb::tuple score(const SharedModel& self, nb::handle texts, const Name& truncation, std::optional<size_t> max_length,
                const Name& windows, size_t overlap, const nb::object& progress, const Points& points,
                const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "sentences", TextKind::pair);
  const ScoreOptions options{.length = length_options(truncation, max_length),
                             .windows = window_options(windows, overlap),
                             .taps = taps_of(points, visit)};
  std::vector<double> scores;
  std::vector<float> logits;
  size_t labels = 0;
  const auto take = [&](size_t begin, ScoredTexts part) {
    if (!progress.is_none()) progress(begin + part.scores.rows());
    labels = part.scores.columns();
    const auto some_scores = part.scores.release();
    const auto some_logits = part.logits.release();
    scores.insert(scores.end(), some_scores.begin(), some_scores.end());
    logits.insert(logits.end(), some_logits.begin(), some_logits.end());
  };
  run_in_parts(
      given.views(), options.taps, trained_limit(*model, options.length),
      [&](const TextList& part) { return model->score(part, options); }, take);
  const std::vector<size_t> shape{given.size(), labels};
  return nb::make_tuple(to_numpy(std::move(scores), shape), to_numpy(std::move(logits), shape));
}

nb::list next_sentence(const SharedModel& self, nb::handle pairs, const Name& truncation,
                       std::optional<size_t> max_length, const Points& points, const nb::object& visit) {
  const auto model = self.get();
  const Texts given(pairs, "pairs", TextKind::pair);
  const LengthOptions length = length_options(truncation, max_length);
  const Taps taps = taps_of(points, visit);
  nb::list all;
  const auto take = [&](size_t, const NextSentences& part) {
    for (const NextSentence& one : part.pairs) all.append(one.is_next);
  };
  run_in_parts(
      given.views(), taps, limit_of(*model, length),
      [&](const TextList& part) { return model->next_sentence(part, length, taps); }, take);
  return all;
}

nb::list tag(const SharedModel& self, nb::handle texts, bool words, const std::string& aggregation,
             const Name& truncation, std::optional<size_t> max_length, const Name& windows, size_t overlap,
             const Points& points, const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "texts", words ? TextKind::words : TextKind::text);
  const TagOptions options{.length = length_options(truncation, max_length),
                           .windows = window_options(windows, overlap),
                           .aggregation = api::aggregation_named(aggregation),
                           .taps = taps_of(points, visit)};
  nb::list all;
  const auto take = [&](size_t first, const TaggedTexts& part) {
    for (size_t text = 0; text < part.texts.size(); ++text) {
      const TextView& view = given.views()[first + text];
      const Characters characters(view.words ? joined_words(*view.words) : std::string(view.text));
      nb::list tags;
      for (const Tag& one : part.texts[text]) {
        nb::dict dict;
        dict[options.aggregation == Aggregation::none ? "entity" : "entity_group"] = one.label;
        dict["score"] = one.score;
        if (options.aggregation == Aggregation::none) dict["index"] = one.tokens.begin;
        dict["word"] = one.word;
        dict["start"] = characters.before(one.bytes.begin);
        dict["end"] = characters.before(one.bytes.end);
        if (view.words) dict["words"] = nb::make_tuple(one.words.begin, one.words.end);
        tags.append(dict);
      }
      all.append(tags);
    }
  };
  run_in_parts(
      given.views(), options.taps, trained_limit(*model, options.length),
      [&](const TextList& part) { return model->tag(part, options); }, take);
  return all;
}

nb::list answer(const SharedModel& self, nb::handle pairs, size_t top_k, size_t max_answer_len, bool no_answer,
                std::optional<size_t> max_length, std::optional<size_t> stride, const Points& points,
                const nb::object& visit) {
  const auto model = self.get();
  const Texts given(pairs, "pairs", TextKind::pair);
  const AnswerOptions options{.max_length = max_length,
                              .stride = stride,
                              .top = top_k,
                              .max_answer_tokens = max_answer_len,
                              .no_answer = no_answer ? NoAnswer::competes : NoAnswer::left_out,
                              .taps = taps_of(points, visit)};
  nb::list all;
  const auto take = [&](size_t first, const AnsweredQuestions& part) {
    for (size_t question = 0; question < part.questions.size(); ++question) {
      const Characters characters(*given.views()[first + question].text_pair);
      nb::list answers;
      for (const Answer& one : part.questions[question].best) {
        nb::dict dict;
        dict["score"] = one.score;
        dict["start"] = characters.before(one.bytes.begin);
        dict["end"] = characters.before(one.bytes.end);
        dict["answer"] = one.text;
        answers.append(dict);
      }
      all.append(answers);
    }
  };
  run_in_parts(
      given.views(), options.taps, model->info().position_limit,
      [&](const TextList& part) { return model->answer(part, options); }, take);
  return all;
}

}  // namespace

void bind_heads(ModelClass& model) {
  const auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };
  const auto no_points = [] { return nb::arg("points") = Points(); };
  model.def("fill_mask", fill_mask, nb::arg("texts"), nb::kw_only(), nb::arg("top_k") = size_t{5},
            nb::arg("targets") = std::vector<std::string>(), none("truncation"), none("max_length"), no_points(),
            none("visit"));
  model.def("classify", classify, nb::arg("texts"), nb::kw_only(), none("top_k"), none("truncation"),
            none("max_length"), none("windows"), nb::arg("overlap") = size_t{0}, no_points(), none("visit"));
  model.def("score", score, nb::arg("sentences"), nb::kw_only(), none("truncation"), none("max_length"),
            none("windows"), nb::arg("overlap") = size_t{0}, none("progress"), no_points(), none("visit"));
  model.def("next_sentence", next_sentence, nb::arg("pairs"), nb::kw_only(), none("truncation"), none("max_length"),
            no_points(), none("visit"));
  model.def("tag", tag, nb::arg("texts"), nb::kw_only(), nb::arg("words") = false, nb::arg("aggregation") = "simple",
            none("truncation"), none("max_length"), none("windows"), nb::arg("overlap") = size_t{0}, no_points(),
            none("visit"));
  model.def("answer", answer, nb::arg("pairs"), nb::kw_only(), nb::arg("top_k") = size_t{1},
            nb::arg("max_answer_len") = size_t{15}, nb::arg("no_answer") = false, none("max_length"), none("stride"),
            no_points(), none("visit"));
}

}  // namespace summand::python
