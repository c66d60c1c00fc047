#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/storage_type.hpp"

namespace summand::io {

/// Storage of numbers that tensors refer to, in its own file.
struct PickledStorage {
  StorageType type = StorageType::f32;
  std::string_view key;  ///< the name of that file
  uint64_t elements = 0;
};

/// One tensor as described by a pickle, unchecked except that no number is negative.
struct PickledTensor {
  std::string_view name;
  size_t storage = 0;   ///< its index
  uint64_t offset = 0;  ///< of its first element, in elements
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides;  ///< as many, in elements
};

/// A dictionary of tensors.
struct TensorPickle {
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;  ///< names unique: of two with one name the later, as in Python
};

/// Reads the pickle of a state dict, as torch.save writes it. No code is run and no class is looked up: an interpreter
/// knows the opcodes that dictionaries of tensors need and, by their names, OrderedDict, torch's storages and the
/// functions that put a tensor together; everything else is refused by its name.
/// @param pickle  that the result looks into
/// @param where  the file, for messages
/// @throws CheckpointError naming the opcode, the class or function, or the entry that is no tensor; or if the pickle
///   is malformed, ends early, has more than 16 MB or holds more than half a million values
/// Source: Python 3.11, Lib/pickle.py and pickletools.py; torch 2.13, torch/_utils.py, _rebuild_tensor_v2
[[nodiscard]] TensorPickle read_tensor_pickle(std::string_view pickle, std::string_view where);

}  // namespace summand::io
