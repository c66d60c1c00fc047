// Bytes as model.safetensors, or, behind "%% " lines, as an index with its shards.
#include <array>

#include "io/weight_files.hpp"
#include "read_tensor.hpp"
#include "target.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 4> kFiles{"model.safetensors", "model.safetensors.index.json", "a.safetensors",
                                                 "b.safetensors"};

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
        fuzz::read_all(stored.tensor);
      } else {
        fuzz::expect(test::is_one_line(stored.unsupported), "an element type that is not computed with is one line");
      }
      bytes += stored.tensor.bytes.size();
    }
    fuzz::expect(bytes <= size, "tensors do not overlap");
  });
  return 0;
}
