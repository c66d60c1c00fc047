#include "io/torch_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/git_lfs.hpp"
#include "base/paths.hpp"
#include "io/mapped_file.hpp"
#include "io/safetensors_header.hpp"
#include "io/tensor_pickle.hpp"
#include "io/zip_archive.hpp"

namespace summand::io {

namespace {

constexpr std::string_view kPickle = "/data.pkl";
/// How torch's format before 1.6 begins: a pickle of the number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kOldFormat{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void refuse_other_formats(const MappedFile& map, std::string_view where) {
  refuse_git_lfs_pointer(map.text(), std::string(where));
  if (is_zip_archive(map.bytes())) return;
  if (map.text().starts_with(kOldFormat)) {
    throw CheckpointError(where,
                          "expected a zip archive, as torch.save writes it since version 1.6, got the older format: "
                          "torch.save(torch.load(FILE), FILE) writes it anew");
  }
  constexpr size_t kShown = 16;
  throw CheckpointError(where, fmt::format("expected a zip archive, as torch.save writes it, got a file that begins "
                                           "with '{}'",
                                           printable(map.text().substr(0, kShown))));
}

/// The files of a torch archive are in one folder.
std::string folder_of(const ZipArchive& archive, std::string_view where) {
  for (const auto& [name, bytes] : archive) {
    if (name.ends_with(kPickle)) return std::string(name.substr(0, name.size() - kPickle.size()));
  }
  throw CheckpointError(where, "expected an archive of torch's, with a data.pkl, got another zip archive");
}

void refuse_big_endian(const ZipArchive& archive, const std::string& folder, std::string_view where) {
  const auto order = archive.find(folder + "/byteorder");
  if (order == archive.end() || text_of(order->second) == "little") return;
  throw CheckpointError(where,
                        fmt::format("byteorder: expected 'little', got '{}'", printable(text_of(order->second))));
}

std::optional<model::DType> dtype_of(StorageType type) {
  return model::value_named<model::DType>(name_of(type));
}

/// Row-major, the last dimension fastest. The stride of a dimension of one does not count.
bool lies_in_order(const PickledTensor& tensor) {
  uint64_t expected = 1;
  for (size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.sizes[i];
  }
  return true;
}

/// One file's tensors, as the pickle says them.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : map_(MappedFile::open(path)), where_(path_text(path)) {
    file_.path = path;
  }

  SafetensorsFile read() {
    refuse_other_formats(*map_, where_);
    archive_ = list_zip_archive(map_->bytes(), where_);
    folder_ = folder_of(archive_, where_);
    refuse_big_endian(archive_, folder_, where_);
    const TensorPickle pickle =
        read_tensor_pickle(text_of(archive_.find(folder_ + std::string(kPickle))->second), where_);
    if (pickle.tensors.size() > kMostTensors) {
      throw CheckpointError(where_,
                            fmt::format("expected at most {} tensors, got {}", kMostTensors, pickle.tensors.size()));
    }
    for (const auto& tensor : pickle.tensors) add(tensor, pickle.storages[tensor.storage]);
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const PickledTensor& tensor, const std::string& message) const {
    throw CheckpointError(where_, fmt::format("'{}': {}", printable(tensor.name), message));
  }

  std::span<const std::byte> numbers_of(const PickledTensor& tensor, const PickledStorage& storage) const {
    const auto found = archive_.find(fmt::format("{}/data/{}", folder_, storage.key));
    if (found == archive_.end()) {
      fail(tensor, fmt::format("expected its numbers in 'data/{}' of the archive, got none", printable(storage.key)));
    }
    const size_t width = size_of(storage.type);
    if (found->second.size() % width != 0 || found->second.size() / width != storage.elements) {
      fail(tensor, fmt::format("expected {} elements of {} bytes in 'data/{}', got {} bytes", storage.elements, width,
                               printable(storage.key), found->second.size()));
    }
    return found->second;
  }

  /// @return elements of the tensor, each of them inside its storage
  uint64_t checked_elements(const PickledTensor& tensor, const PickledStorage& storage) const {
    uint64_t elements = 1;
    uint64_t last = tensor.offset;
    bool fits = true;
    for (size_t i = 0; i < tensor.sizes.size(); ++i) {
      fits = fits && !__builtin_mul_overflow(elements, tensor.sizes[i], &elements);
      uint64_t reach = 0;
      if (tensor.sizes[i] > 0) fits = fits && !__builtin_mul_overflow(tensor.sizes[i] - 1, tensor.strides[i], &reach);
      fits = fits && !__builtin_add_overflow(last, reach, &last);
    }
    const bool is_empty = fits && elements == 0;
    if (!fits || (!is_empty && last >= storage.elements) || (is_empty && tensor.offset > storage.elements)) {
      fail(tensor, fmt::format("expected elements among the {} of its storage, got others", storage.elements));
    }
    return elements;
  }

  void add(const PickledTensor& tensor, const PickledStorage& storage) {
    const auto numbers = numbers_of(tensor, storage);
    const uint64_t elements = checked_elements(tensor, storage);
    std::vector<size_t> shape(tensor.sizes.begin(), tensor.sizes.end());
    const auto dtype = dtype_of(storage.type);
    if (!dtype) {
      file_.unsupported.emplace(
          tensor.name, fmt::format("{} {}", name_of(storage.type), model::describe(std::span<const size_t>(shape))));
      return;
    }
    const size_t width = size_of(storage.type);
    if (elements == 0 || lies_in_order(tensor)) {
      const auto bytes = numbers.subspan(tensor.offset * width, elements * width);
      file_.tensors.emplace(tensor.name, model::Tensor{*dtype, std::move(shape), bytes, map_});
      return;
    }
    file_.tensors.emplace(tensor.name,
                          model::tensor_of(*dtype, std::move(shape), copied(tensor, numbers, elements, width)));
  }

  /// Of a transposed tensor, for example.
  std::vector<std::byte> copied(const PickledTensor& tensor, std::span<const std::byte> numbers, uint64_t elements,
                                size_t width) {
    const uint64_t left = (map_->bytes().size() - copied_bytes_) / width;
    if (elements > left) {
      fail(tensor, "expected tensors that lie in their order, or whose copies take no more than the file has");
    }
    copied_bytes_ += elements * width;
    std::vector<std::byte> bytes(elements * width);
    std::vector<uint64_t> index(tensor.sizes.size());
    uint64_t from = tensor.offset;
    for (uint64_t element = 0; element < elements; ++element) {
      std::memcpy(bytes.data() + element * width, numbers.data() + from * width, width);
      for (size_t i = index.size(); i-- > 0;) {
        from += tensor.strides[i];
        if (++index[i] < tensor.sizes[i]) break;
        from -= tensor.strides[i] * tensor.sizes[i];
        index[i] = 0;
      }
    }
    return bytes;
  }

  std::shared_ptr<const MappedFile> map_;
  std::string where_;
  ZipArchive archive_;
  std::string folder_;
  SafetensorsFile file_;
  uint64_t copied_bytes_ = 0;
};

}  // namespace

SafetensorsFile read_torch_file(const std::filesystem::path& path) {
  return Reader(path).read();
}

}  // namespace summand::io
