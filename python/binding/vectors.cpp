#include "python/binding/vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "api/vector_files/quantize_vectors.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/options.hpp"

namespace summand::python {

namespace {

constexpr size_t kQueries = 128;  // that a search takes at a time; the engine reads the corpus once for about as many
constexpr size_t kProducts = 500'000'000;  // of coordinates, between two looks at signals: about half a second

/// Calls `run` with some rows and the number of the first, without the GIL, and looks at signals in between. Rows do
/// not depend on each other. A fault is that of all rows, which it then counts.
void in_rows(const MatrixView<const float>& rows, size_t at_a_time,
             const std::function<void(const MatrixView<const float>&, size_t)>& run) {
  size_t begin = 0;
  do {
    const size_t count = std::min(at_a_time, rows.rows() - begin);
    try {
      without_gil([&] { run(rows.middle_rows(begin, count), begin); });
    } catch (const Error&) {
      if (begin > 0) without_gil([&] { run(rows, 0); });
      throw;
    }
    check_signals();
    begin += count;
  } while (begin < rows.rows());
}

/// (indices [queries, top], scores [queries, top])
nb::tuple search(const FloatRows& queries, const FloatRows& corpus, size_t top_k, const std::string& similarity,
                 int threads) {
  const InsideCall call;
  const auto left = view_of(queries, "queries"), right = view_of(corpus, "corpus");
  const SearchOptions options{.top = top_k, .similarity = api::similarity_named(similarity), .threads = threads};
  std::vector<std::vector<Hit>> hits;
  in_rows(left, kQueries, [&](const MatrixView<const float>& some, size_t) {
    std::ranges::move(summand::search(some, right, options), std::back_inserter(hits));
  });
  const size_t kept = std::min(top_k, right.rows());
  std::vector<int64_t> indices;
  std::vector<double> scores;
  for (const auto& of_query : hits) {
    for (const Hit& hit : of_query) {
      indices.push_back(static_cast<int64_t>(hit.index));
      scores.push_back(hit.score);
    }
  }
  const std::vector<size_t> shape{hits.size(), kept};
  return nb::make_tuple(to_numpy(std::move(indices), shape), to_numpy(std::move(scores), shape));
}

Array<double> similarities(const FloatRows& a, const FloatRows& b, const std::string& similarity) {
  const InsideCall call;
  const auto left = view_of(a, "a"), right = view_of(b, "b");
  const Similarity measure = api::similarity_named(similarity);
  Matrix<double> all(left.rows(), right.rows());
  const size_t products = right.rows() * right.columns();
  in_rows(left, 1 + kProducts / (1 + products), [&](const MatrixView<const float>& some, size_t begin) {
    const auto part = summand::similarity(some, right, measure);
    std::ranges::copy(part.elements(), all.elements().data() + begin * right.rows());
  });
  return to_numpy(std::move(all));
}

/// Bytes [vectors, bytes of a vector], which the caller looks at as numbers of the type.
Array<uint8_t> quantize(const FloatRows& vectors, const std::string& type, const std::optional<FloatRows>& ranges) {
  const InsideCall call;
  const VectorType number_type = api::vector_type_named(type);
  const auto view = view_of(vectors, "vectors");
  std::optional<VectorRanges> known;
  if (ranges) known = ranges_of(view_of(*ranges, "ranges"));
  Matrix<std::byte> bytes = without_gil([&] { return quantize_vectors(view, number_type, known); });
  const std::vector<size_t> shape{bytes.rows(), bytes.columns()};
  const auto elements = bytes.release();
  const auto* data = reinterpret_cast<const uint8_t*>(elements.data());
  return to_numpy(std::vector<uint8_t>(data, data + elements.size()), shape);
}

}  // namespace

void bind_vectors(nb::module_& module) {
  module.def("search", search, nb::arg("queries"), nb::arg("corpus"), nb::kw_only(), nb::arg("top_k"),
             nb::arg("similarity"), nb::arg("threads"));
  module.def("similarity", similarities, nb::arg("a"), nb::arg("b"), nb::arg("similarity"));
  module.def("quantize", quantize, nb::arg("vectors"), nb::arg("dtype"), nb::arg("ranges").none() = nb::none());
}

}  // namespace summand::python
