// Bytes as model.safetensors, or, behind "%% " lines, as an index with its shards.
#include <array>

#include "io/weight_files.hpp"
#include "model/tensor.hpp"
#include "target.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 4> kFiles{"model.safetensors", "model.safetensors.index.json", "a.safetensors",
                                                 "b.safetensors"};

/// Reads every byte that a tensor claims, so that a sanitizer sees those that are not its own.
void read_all(const io::StoredTensor& stored) {
  const model::Tensor& tensor = stored.tensor;
  fuzz::expect(tensor.bytes.size() == tensor.elements() * model::size_of(tensor.dtype), "the bytes fit the shape");
  size_t sum = 0;
  for (const std::byte byte : tensor.bytes) sum += static_cast<size_t>(byte);
  fuzz::expect(sum <= 255 * tensor.bytes.size(), "bytes are bytes");
  fuzz::expect(model::to_floats(tensor).size() == tensor.elements(), "each element becomes a number");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  folder.fill(fuzz::parts_of(input, kFiles[0]), kFiles);
  fuzz::accepts([&] {
    const io::WeightFiles files = io::read_weight_files(folder.path());
    size_t bytes = 0;
    for (const auto& [name, stored] : files.tensors) {
      fuzz::expect(name == io::canonical_name(stored.stored_name), "a tensor goes by its canonical name");
      if (stored.unsupported.empty()) {
        read_all(stored);
      } else {
        fuzz::expect(test::is_one_line(stored.unsupported), "an element type that is not computed with is one line");
      }
      bytes += stored.tensor.bytes.size();
    }
    fuzz::expect(bytes <= size, "tensors do not overlap");
  });
  return 0;
}
