#include "summand/similarity.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "api/similarity.hpp"
#include "engine/kernels/dots.hpp"

namespace summand {

namespace api {

Matrix<double> cosines(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan) {
  Matrix<double> cosines(plan.queries, stored.rows());
  const size_t step = queries_at_a_time(queries.width());
  for (size_t done = 0; done < plan.queries; done += step) {
    const DotPlan some{.first_query = plan.first_query + done,
                       .queries = std::min(step, plan.queries - done),
                       .threads = threads_for(plan.threads, stored.rows())};
    for_each_dot_block(queries, stored, some, [&](const DotBlock& block) {
      for (size_t query = 0; query < block.queries; ++query) {
        const double square = queries.square(block.first_query + query);
        const double* const dots = block.dots + query * engine::kDotLanes;
        const auto to = cosines.row(done + query).subspan(block.first_row, block.rows);
        for (size_t lane = 0; lane < block.rows; ++lane) to[lane] = cosine(dots[lane], square, block.squares[lane]);
      }
    });
  }
  return cosines;
}

Matrix<double> cosines(MatrixView<const float> a, MatrixView<const float> b, int threads) {
  const QueryVectors queries(StoredVectors(a, "vectors"));
  return cosines(queries, StoredVectors(b, "vectors"), {.queries = queries.count(), .threads = threads});
}

CosineFile::CosineFile(io::OutputFile& file, MatrixView<const float> columns, const Shape& shape)
    : columns_(columns, "vectors"),
      threads_(shape.threads),
      writer_(file, {.rows = shape.rows, .columns = columns.rows()}) {}

void CosineFile::append(MatrixView<const float> rows) {
  const QueryVectors queries(StoredVectors(rows, "vectors"));
  const auto cosines = api::cosines(queries, columns_, {.queries = queries.count(), .threads = threads_});
  const std::vector<float> rounded(cosines.elements().begin(), cosines.elements().end());
  writer_.append(std::span<const float>(rounded));
}

}  // namespace api

Matrix<double> cosine_similarity(const Matrix<float>& vectors) {
  return cosine_similarity(vectors.view(), vectors.view());
}

Matrix<double> cosine_similarity(MatrixView<const float> a, MatrixView<const float> b) {
  return api::cosines(a, b, 0);
}

}  // namespace summand
