#include "lab/experiments/long_texts/document_runs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"
#include "text/truncation.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

Vector of_length_1(const Vector& vector) {
  const double norm = vector.norm();
  return norm > 0 ? Vector(vector / norm) : vector;
}

size_t index_of(Treatment treatment) {
  return static_cast<size_t>(std::ranges::find(kTreatments, treatment) - kTreatments.begin());
}

Part part_of(double middle) {
  if (middle < 1.0 / 3) return Part::begin;
  return middle < 2.0 / 3 ? Part::middle : Part::end;
}

}  // namespace

std::string name_of(Treatment treatment) {
  switch (treatment) {
    case Treatment::head:
      return "head";
    case Treatment::tail:
      return "tail";
    case Treatment::head_tail:
      return "head_tail";
    case Treatment::windows:
      return "windows";
    case Treatment::one_pass:
      return "one_pass";
  }
  __builtin_unreachable();
}

LocalizedText words_of(Treatment treatment) {
  return localize("long_texts.treatments." + name_of(treatment));
}

std::vector<Stretch> stretches_of(Treatment treatment, size_t tokens, size_t room) {
  if (tokens <= room) return {{0, tokens}};
  switch (treatment) {
    case Treatment::head:
      return {{0, room}};
    case Treatment::tail:
      return {{tokens - room, tokens}};
    case Treatment::head_tail: {
      const size_t head = text::head_length(room);
      return {{0, head}, {tokens - (room - head), tokens}};
    }
    case Treatment::windows: {
      std::vector<Stretch> windows;
      const size_t step = std::max<size_t>(1, room / 2);
      for (size_t begin = 0; begin + room < tokens; begin += step) windows.push_back({begin, begin + room});
      windows.push_back({tokens - room, tokens});
      return windows;
    }
    case Treatment::one_pass:
      return {{0, tokens}};
  }
  __builtin_unreachable();
}

DocumentReader::DocumentReader(const Subject& subject, std::vector<size_t> among, int threads)
    : subject_(&subject),
      among_(std::move(among)),
      engine_(engine_with_positions(subject, subject.positions, threads)),
      frame_(frame_of(subject)),
      kind_(sentence_vector_of(subject)) {
  sentences_ = Table::Zero(static_cast<Index>(subject.corpus.sentences.size()), subject.positions.cols());
  for (const size_t text : among_) {
    const auto ids = ordinary_tokens(subject, text);
    tokens_ += ids.size();
    sentences_.row(static_cast<Index>(text)) = vector_of(engine_, ids);
  }
}

Vector DocumentReader::vector_of(const engine::Engine& engine, std::span<const int32_t> ids) const {
  model::Batch batch;
  add_framed(batch, frame_, ids);
  return of_length_1(sentence_vectors(last_states(engine, batch), batch, kind_).row(0));
}

Vector DocumentReader::treated(Treatment treatment, std::span<const int32_t> ids, size_t room,
                               const engine::Engine& one_pass) const {
  const auto stretches = stretches_of(treatment, ids.size(), room);
  if (treatment == Treatment::one_pass) return vector_of(one_pass, ids);
  if (treatment == Treatment::head_tail) {
    std::vector<int32_t> joined;
    for (const auto& [begin, end] : stretches) {
      joined.insert(joined.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin),
                    ids.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return vector_of(engine_, joined);
  }
  Vector sum = Vector::Zero(sentences_.cols());
  for (const auto& [begin, end] : stretches) sum += vector_of(engine_, ids.subspan(begin, end - begin));
  return of_length_1(sum);
}

void DocumentReader::add_document(const JoinedText& document, size_t room, Documents& documents) const {
  const size_t number = documents.sentences.size();
  const auto tokens = static_cast<double>(document.ids.size());
  Vector sum = Vector::Zero(sentences_.cols());
  for (size_t i = 0; i < document.texts.size(); ++i) {
    const double middle = static_cast<double>(document.starts[i] + document.starts[i + 1]) / 2 / tokens;
    documents.places.push_back({.document = number,
                                .sentence = document.texts[i],
                                .part = part_of(middle),
                                .beyond_head = document.starts[i] >= room});
    sum += sentences_.row(static_cast<Index>(document.texts[i]));
  }
  documents.contents.row(static_cast<Index>(number)) = of_length_1(sum);
  documents.sentences.push_back(document.texts);
  std::ranges::sort(documents.sentences.back());
}

Documents DocumentReader::read(const DocumentsChoice& choice, const engine::Engine& one_pass) const {
  const auto rows = static_cast<Index>(choice.count);
  Documents documents;
  for (auto& vectors : documents.vectors) vectors.resize(rows, sentences_.cols());
  documents.contents.resize(rows, sentences_.cols());
  for (Index row = 0; row < rows; ++row) {
    RandomStream stream(choice.seed, choice.name + " " + std::to_string(row));
    const auto document = joined_text(*subject_, among_, choice.tokens, stream);
    add_document(document, choice.room, documents);
    for (const auto treatment : kTreatments) {
      documents.vectors[index_of(treatment)].row(row) = treated(treatment, document.ids, choice.room, one_pass);
    }
  }
  return documents;
}

std::vector<double> contents_kept(const Table& vectors, const Documents& documents) {
  const Vector cosines = cosines_by_row(centred(vectors), centred(documents.contents));
  return {cosines.begin(), cosines.end()};
}

std::vector<double> found(const Table& vectors, const Documents& documents, const Table& sentences,
                          const std::vector<size_t>& own, const Sought& sought) {
  const size_t count = documents.sentences.size();
  std::vector<double> right(static_cast<size_t>(sentences.rows()));
  std::vector<double> pairs(right.size());
  for (const auto& place : documents.places) {
    if (sought.part && place.part != *sought.part) continue;
    if (sought.beyond_head && !place.beyond_head) continue;
    const auto near = [&](size_t document) {
      return vectors.row(static_cast<Index>(own[document])).dot(sentences.row(static_cast<Index>(place.sentence)));
    };
    const double to_own = near(place.document);
    for (size_t other = 0; other < count; ++other) {
      if (own[other] == place.document) continue;
      if (std::ranges::binary_search(documents.sentences[other], place.sentence)) continue;
      const double to_other = near(other);
      pairs[place.sentence] += 1;
      right[place.sentence] += to_own > to_other ? 1 : to_own == to_other ? 0.5 : 0;
    }
  }
  for (size_t sentence = 0; sentence < right.size(); ++sentence) {
    right[sentence] = pairs[sentence] > 0 ? right[sentence] / pairs[sentence] : std::nan("");
  }
  return right;
}

}  // namespace summand::lab
