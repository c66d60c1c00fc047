#include "api/vector_files/quantize_vectors.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "base/error.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"
#include "summand/vectors.hpp"

namespace summand {

namespace {

/// Those given, or the vectors' own.
VectorRanges ranges_for(const api::StoredVectors& vectors, const ConvertOptions& options) {
  if (!api::needs_ranges(options.type) || vectors.rows() == 0) return {};
  if (!options.ranges) api::require_several(vectors.rows());
  VectorRanges ranges = options.ranges ? *options.ranges : api::ranges_of(vectors);
  api::check_ranges(ranges, vectors.width());
  return ranges;
}

}  // namespace

std::optional<VectorRanges> convert_vectors(const std::filesystem::path& from, const std::filesystem::path& out,
                                            const ConvertOptions& options) {
  const auto vectors = api::StoredVectors::open_floats(from);
  const auto ranges = ranges_for(vectors, options);
  io::OutputFile file(out);
  io::NpyWriter writer(file, {.rows = vectors.rows(),
                              .columns = api::stored_columns(options.type, vectors.width()),
                              .type = api::npy_type(options.type)});
  api::for_each_block(vectors, [&](MatrixView<const float> block, size_t first) {
    const auto stored = api::quantize({.vectors = block, .first = first, .name = vectors.name()}, options.type, ranges);
    writer.append(stored.elements());
  });
  writer.finish();
  file.commit();
  if (ranges.least.empty()) return std::nullopt;
  api::write_ranges(ranges, out);
  return ranges;
}

}  // namespace summand
