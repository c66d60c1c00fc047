#include "python/binding/vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/vector_files/quantize_vectors.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/options.hpp"

namespace summand::python {

namespace {

/// (indices [queries, top], scores [queries, top])
nb::tuple search(const FloatRows& queries, const FloatRows& corpus, size_t top_k, const std::string& similarity,
                 int threads) {
  const auto left = view_of(queries, "queries"), right = view_of(corpus, "corpus");
  const SearchOptions options{.top = top_k, .similarity = api::similarity_named(similarity), .threads = threads};
  const auto hits = without_gil([&] { return summand::search(left, right, options); });
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
  const auto left = view_of(a, "a"), right = view_of(b, "b");
  const Similarity measure = api::similarity_named(similarity);
  return to_numpy(without_gil([&] { return summand::similarity(left, right, measure); }));
}

/// Bytes [vectors, bytes of a vector], which the caller looks at as numbers of the type.
Array<uint8_t> quantize(const FloatRows& vectors, const std::string& type, const std::optional<FloatRows>& ranges) {
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
