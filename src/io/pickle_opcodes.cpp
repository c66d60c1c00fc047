#include "io/pickle_opcodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace summand::io {

namespace {

struct Name {
  uint8_t code;
  std::string_view name;
};

/// Those that Opcode leaves out.
constexpr std::array kOthers{
    Name{'0', "POP"},
    Name{'1', "POP_MARK"},
    Name{'2', "DUP"},
    Name{'F', "FLOAT"},
    Name{'I', "INT"},
    Name{'L', "LONG"},
    Name{'P', "PERSID"},
    Name{'S', "STRING"},
    Name{'V', "UNICODE"},
    Name{'d', "DICT"},
    Name{'g', "GET"},
    Name{'i', "INST"},
    Name{'l', "LIST"},
    Name{'o', "OBJ"},
    Name{'p', "PUT"},
    Name{'B', "BINBYTES"},
    Name{'C', "SHORT_BINBYTES"},
    Name{0x81, "NEWOBJ"},
    Name{0x82, "EXT1"},
    Name{0x83, "EXT2"},
    Name{0x84, "EXT4"},
    Name{0x8b, "LONG4"},
    Name{0x8d, "BINUNICODE8"},
    Name{0x8e, "BINBYTES8"},
    Name{0x8f, "EMPTY_SET"},
    Name{0x90, "ADDITEMS"},
    Name{0x91, "FROZENSET"},
    Name{0x92, "NEWOBJ_EX"},
    Name{0x96, "BYTEARRAY8"},
    Name{0x97, "NEXT_BUFFER"},
    Name{0x98, "READONLY_BUFFER"},
};

}  // namespace

std::string opcode_name(uint8_t code) {
  const auto* found = std::ranges::find(kOthers, code, &Name::code);
  return found != kOthers.end() ? std::string(found->name) : fmt::format("0x{:02x}", code);
}

}  // namespace summand::io
