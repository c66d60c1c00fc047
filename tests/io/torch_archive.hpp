#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace summand::io::test {

template <class Number>
std::string little_endian(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// The bytes of a zip archive of stored files, in their order.
/// @param method  0 for stored; others are not honoured, only said
inline std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& files, uint16_t method = 0) {
  std::string archive;
  std::string list;
  for (const auto& [name, content] : files) {
    const auto size = little_endian(static_cast<uint32_t>(content.size()));
    const std::string common = little_endian<uint16_t>(0) + little_endian(method) + std::string(4, '\0') +
                               std::string(4, '\0') + size + size + little_endian(static_cast<uint16_t>(name.size()));
    list += "PK\x01\x02" + little_endian<uint16_t>(20) + little_endian<uint16_t>(20) + common + std::string(12, '\0') +
            little_endian(static_cast<uint32_t>(archive.size())) + name;
    // The header's own extra field is another than the list's: torch fills it so that content is aligned.
    archive += "PK\x03\x04" + little_endian<uint16_t>(20) + common + little_endian<uint16_t>(6) + name + "FB" +
               little_endian<uint16_t>(2) + "ZZ" + content;
  }
  const auto count = little_endian(static_cast<uint16_t>(files.size()));
  const auto begin = little_endian(static_cast<uint32_t>(archive.size()));
  const auto bytes = little_endian(static_cast<uint32_t>(list.size()));
  return archive + list + "PK\x05\x06" + std::string(4, '\0') + count + count + bytes + begin + std::string(2, '\0');
}

/// Pieces of a pickle, each leaving one value on the stack.
inline std::string text(std::string_view value) {
  return "X" + little_endian(static_cast<uint32_t>(value.size())) + std::string(value);
}
inline std::string number(int32_t value) {
  return "J" + little_endian(value);
}
inline std::string numbers(const std::vector<int32_t>& values) {
  std::string items;
  for (const int32_t value : values) items += number(value);
  return "(" + items + "t";
}
inline std::string storage(std::string_view key, int32_t elements, std::string_view type = "FloatStorage") {
  return "(" + text("storage") + "ctorch\n" + std::string(type) + "\n" + text(key) + text("cpu") + number(elements) +
         "tQ";
}
/// @param numbers_in  what storage() gives
inline std::string tensor(const std::string& numbers_in, int32_t offset, const std::vector<int32_t>& sizes,
                          const std::vector<int32_t>& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + numbers_in + number(offset) + numbers(sizes) + numbers(strides) +
         "\x89" + "ccollections\nOrderedDict\n)RtR";
}
/// A whole pickle of a dictionary.
inline std::string dictionary(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string items;
  for (const auto& [name, value] : entries) items += text(name) + value;
  return "\x80\x02}(" + items + "u.";
}

/// A file as torch.save writes it.
inline std::string torch_bytes(const std::string& pickle,
                               const std::vector<std::pair<std::string, std::string>>& storages) {
  std::vector<std::pair<std::string, std::string>> files{{"model/data.pkl", pickle}, {"model/byteorder", "little"}};
  for (const auto& [key, content] : storages) files.emplace_back("model/data/" + key, content);
  files.emplace_back("model/version", "3\n");
  return zip_bytes(files);
}

inline std::string floats_as_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += little_endian(value);
  return bytes;
}

}  // namespace summand::io::test
