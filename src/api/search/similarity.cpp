#include "summand/similarity.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "api/search/similarity.hpp"
#include "engine/kernels/dots.hpp"

namespace summand {

namespace api {

Matrix<double> similarities(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan) {
  validate(plan.measure);
  Matrix<double> similarities(plan.queries, stored.rows());
  const size_t step = queries_at_a_time(queries.width());
  for (size_t done = 0; done < plan.queries; done += step) {
    const DotPlan some{.measure = plan.measure,
                       .first_query = plan.first_query + done,
                       .queries = std::min(step, plan.queries - done),
                       .threads = threads_for(plan.threads, stored.rows())};
    for_each_dot_block(queries, stored, some, [&](const DotBlock& block) {
      for (size_t query = 0; query < block.queries; ++query) {
        const double square = queries.square(block.first_query + query);
        const double* const sums = block.sums + query * engine::kDotLanes;
        const auto to = similarities.row(done + query).subspan(block.first_row, block.rows);
        for (size_t lane = 0; lane < block.rows; ++lane) {
          to[lane] = score(plan.measure, sums[lane], square, block.squares[lane]);
        }
      }
    });
  }
  return similarities;
}

Matrix<double> similarities(MatrixView<const float> a, MatrixView<const float> b, const Comparison& comparison) {
  const QueryVectors queries(StoredVectors(a, "vectors"));
  return similarities(queries, StoredVectors(b, "vectors"),
                      {.measure = comparison.measure, .queries = queries.count(), .threads = comparison.threads});
}

SimilarityFile::SimilarityFile(io::OutputFile& file, MatrixView<const float> columns, size_t rows,
                               const Comparison& comparison)
    : columns_(columns), comparison_(comparison), writer_(file, {.rows = rows, .columns = columns.rows()}) {}

void SimilarityFile::append(MatrixView<const float> rows) {
  const auto similarities = api::similarities(rows, columns_, comparison_);
  const std::vector<float> rounded(similarities.elements().begin(), similarities.elements().end());
  writer_.append(std::span<const float>(rounded));
}

}  // namespace api

Matrix<double> cosine_similarity(const Matrix<float>& vectors) {
  return cosine_similarity(vectors.view(), vectors.view());
}

Matrix<double> cosine_similarity(MatrixView<const float> a, MatrixView<const float> b) {
  return similarity(a, b, Similarity::cosine);
}

Matrix<double> similarity(MatrixView<const float> a, MatrixView<const float> b, Similarity measure) {
  return api::similarities(a, b, {.measure = measure});
}

}  // namespace summand
