// A NumPy file of vectors in another type, for the Python comparison: vectors_probe FROM OUT TYPE [CALIBRATION]
#include <cstdio>

#include "api/vector_files/quantize_vectors.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "base/error.hpp"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  try {
    summand::ConvertOptions options{.type = summand::api::vector_type_named(argv[3])};
    if (argc > 4) options.ranges = summand::api::read_ranges(argv[4]);
    static_cast<void>(summand::convert_vectors(argv[1], argv[2], options));
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
