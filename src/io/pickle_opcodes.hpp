#pragma once

#include <cstdint>
#include <string>

namespace summand::io {

/// The opcodes of Python's pickles that a dictionary of tensors needs. Source: Python 3.11, Lib/pickle.py
enum class Opcode : uint8_t {
  mark = '(',
  stop = '.',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  long1 = 0x8a,
  binfloat = 'G',
  none = 'N',
  newtrue = 0x88,
  newfalse = 0x89,
  binunicode = 'X',
  short_binunicode = 0x8c,
  binstring = 'T',
  short_binstring = 'U',
  empty_dict = '}',
  empty_list = ']',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  append = 'a',
  appends = 'e',
  setitem = 's',
  setitems = 'u',
  binput = 'q',
  long_binput = 'r',
  memoize = 0x94,
  binget = 'h',
  long_binget = 'j',
  proto = 0x80,
  frame = 0x95,
  global = 'c',
  stack_global = 0x93,
  binpersid = 'Q',
  reduce = 'R',
  build = 'b',
};

/// Python's name of an unsupported opcode: "NEWOBJ"; "0xff" if it has none.
[[nodiscard]] std::string opcode_name(uint8_t code);

}  // namespace summand::io
