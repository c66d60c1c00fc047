#include "base/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace fs = std::filesystem;

TEST_CASE("a temporary folder is new, this user's alone, and goes with what was put into it") {
  std::optional<summand::TemporaryFolder> one("summand-test");
  const summand::TemporaryFolder other("summand-test");
  const fs::path path = one->path();
  CHECK(path != other.path());
  CHECK(path.filename().string().starts_with("summand-test-"));
  CHECK((fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
  std::ofstream(path / "file") << "text";
  one.reset();
  CHECK_FALSE(fs::exists(path));
  CHECK(fs::exists(other.path()));
}
