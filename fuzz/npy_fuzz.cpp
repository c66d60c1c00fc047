// Bytes as a NumPy file of one matrix.
#include <array>
#include <cmath>

#include "io/npy_reader.hpp"
#include "target.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 1> kFiles{"table.npy"};
constexpr size_t kLeastElementBytes = 2;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  folder.fill({{std::string(kFiles[0]), input}}, kFiles);
  fuzz::accepts([&] {
    const auto matrix = io::read_npy(folder.path() / kFiles[0]);
    fuzz::expect(!matrix.empty() && matrix.elements().size() <= size / kLeastElementBytes, "elements are in the file");
    for (const double value : matrix.elements()) fuzz::expect(std::isfinite(value), "numbers are finite");
  });
  fuzz::accepts([&] {
    const auto rows = io::map_npy(folder.path() / kFiles[0]);
    const size_t bytes = rows.rows * rows.columns * io::size_of(rows.type);
    fuzz::expect(rows.bytes.size() == bytes && bytes < size, "rows are in the file");
  });
  return 0;
}
