// Bytes as a file of torch.save, or, behind "%% NAME" lines, the files of its archive: data.pkl, data/0, …
#include <algorithm>

#include "io/torch_archive.hpp"
#include "io/torch_file.hpp"
#include "read_tensor.hpp"
#include "target.hpp"

using namespace summand;

namespace {

constexpr std::string_view kFile = "pytorch_model.bin";

std::string archive_of(std::string_view input) {
  constexpr std::string_view kFirst = "data.pkl";
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& part : fuzz::parts_of(input, kFirst)) {
    if (files.empty() && part.content.empty() && part.name == kFirst) continue;  // nothing before the first line
    files.emplace_back("m/" + part.name.substr(0, 100), part.content);
  }
  return io::test::zip_bytes(files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string archive = input.starts_with("%% ") ? archive_of(input) : std::string(input);
  folder.fill({{std::string(kFile), archive}}, std::span(&kFile, 1));
  fuzz::accepts([&] {
    const auto file = io::read_torch_file(folder.path() / kFile);
    for (const auto& [name, tensor] : file.tensors) {
      fuzz::expect(tensor.bytes.size() <= archive.size(), "a tensor has no more bytes than the file");
      fuzz::read_all(tensor);
    }
    for (const auto& [name, text] : file.unsupported) {
      fuzz::expect(test::is_one_line(text), "an element type that is not computed with is one line");
    }
  });
  return 0;
}
