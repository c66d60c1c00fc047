#include "io/storage_type.hpp"

#include <algorithm>
#include <array>

namespace summand::io {

namespace {

struct NamedStorage {
  std::string_view name;  ///< in the module torch
  StorageType type;
  std::string_view type_name;
  size_t bytes;
};
constexpr std::array kStorages{
    NamedStorage{"FloatStorage", StorageType::f32, "F32", 4},
    NamedStorage{"HalfStorage", StorageType::f16, "F16", 2},
    NamedStorage{"BFloat16Storage", StorageType::bf16, "BF16", 2},
    NamedStorage{"DoubleStorage", StorageType::f64, "F64", 8},
    NamedStorage{"LongStorage", StorageType::i64, "I64", 8},
    NamedStorage{"IntStorage", StorageType::i32, "I32", 4},
    NamedStorage{"ShortStorage", StorageType::i16, "I16", 2},
    NamedStorage{"CharStorage", StorageType::i8, "I8", 1},
    NamedStorage{"ByteStorage", StorageType::u8, "U8", 1},
    NamedStorage{"BoolStorage", StorageType::boolean, "BOOL", 1},
    NamedStorage{"ComplexFloatStorage", StorageType::c64, "C64", 8},
    NamedStorage{"ComplexDoubleStorage", StorageType::c128, "C128", 16},
};

}  // namespace

std::string_view name_of(StorageType type) {
  return std::ranges::find(kStorages, type, &NamedStorage::type)->type_name;
}

size_t size_of(StorageType type) {
  return std::ranges::find(kStorages, type, &NamedStorage::type)->bytes;
}

std::optional<StorageType> storage_type_of_class(std::string_view name) {
  const auto* found = std::ranges::find(kStorages, name, &NamedStorage::name);
  if (found == kStorages.end()) return std::nullopt;
  return found->type;
}

}  // namespace summand::io
