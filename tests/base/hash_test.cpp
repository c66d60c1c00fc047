#include "base/hash.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace {

uint64_t hash_of(std::initializer_list<std::string_view> fields) {
  summand::Hash hash;
  for (const auto field : fields) hash.add(field);
  return hash.value();
}

}  // namespace

TEST_CASE("a hash of nothing is XXH3's") {
  CHECK(summand::Hash().value() == 0x2D06800538D394C2);  // Source: xxHash 0.8, tests/sanity_test.c
}

// Source: XXH3_64bits of the system's libxxhash, of all bytes at once.
TEST_CASE("what is kept by a hash is found by later builds and on other machines") {
  CHECK(hash_of({"a", "", "field"}) == 0x1C0F819C1CE96443);
  summand::Hash numbers;
  for (uint64_t i = 0; i < 1000; ++i) numbers.add_number(i << 40 | i);
  CHECK(numbers.value() == 0x92D6B2A42A07653B);
}

TEST_CASE("fields never read as others, and every byte counts") {
  CHECK(hash_of({"ab", "c"}) != hash_of({"a", "bc"}));
  CHECK(hash_of({"ab", "c"}) != hash_of({"abc"}));
  CHECK(hash_of({"abc"}) != hash_of({"abc", ""}));
  // Around every length at which XXH3 goes on in another way: 16, 128, 240 and 256 bytes, and its blocks of 1,024.
  std::set<uint64_t> different;
  std::string field(2100, 'x');
  different.insert(hash_of({field}));
  for (char& byte : field) {
    byte = 'y';
    different.insert(hash_of({field}));
    byte = 'x';
  }
  CHECK(different.size() == field.size() + 1);
}
