#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace summand::io {

/// Element types of torch's storages.
enum class StorageType { f32, f16, bf16, f64, i64, i32, i16, i8, u8, boolean, c64, c128 };

/// The type with this name in safetensors: "F32".
[[nodiscard]] std::string_view name_of(StorageType type);

/// Bytes of one element.
[[nodiscard]] size_t size_of(StorageType type);

/// The type of a storage class of torch: "FloatStorage".
[[nodiscard]] std::optional<StorageType> storage_type_of_class(std::string_view name);

}  // namespace summand::io
