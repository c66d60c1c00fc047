#include "io/resolve_model.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "io/files.hpp"
#include "io/shipped_models.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::string refusal(std::string_view name) {
  return message_of<CheckpointError>([&] { static_cast<void>(resolve_model(name)); });
}

}  // namespace

TEST_CASE("an existing directory is taken, and a file is no directory") {
  const TemporaryDirectory directory;
  write_file(directory.path() / "file", "x");
  CHECK(resolve_model(directory.path().string()) == directory.path());
  const std::string file = (directory.path() / "file").string();
  CHECK(refusal(file) == "[" + file + "] expected a checkpoint directory, got a file");
}

TEST_CASE("a model that comes with summand is found by its name, before the cache of the hub") {
  const TemporaryDirectory models;
  const TemporaryDirectory cache;
  const Variable place("SUMMAND_MODELS", models.path());
  const Variable hub("HF_HUB_CACHE", cache.path());
  write_file(models.path() / "small" / "config.json", "{}");
  const std::string commit(40, 'a');
  for (const std::string name : {"small", "other"}) {
    write_file(cache.path() / ("models--" + name) / "refs" / "main", commit);
    write_file(cache.path() / ("models--" + name) / "snapshots" / commit / "config.json", "{}");
  }
  CHECK(resolve_model("small") == models.path() / "small");
  CHECK(resolve_model("other") == cache.path() / "models--other" / "snapshots" / commit);
  // Without a checkpoint it is no model.
  write_file(models.path() / "other" / "README.md", "x");
  CHECK(resolve_model("other") == cache.path() / "models--other" / "snapshots" / commit);
  CHECK_FALSE(shipped_model("../small"));
  CHECK_FALSE(shipped_model("small/"));
  CHECK_FALSE(shipped_model(""));
  CHECK_FALSE(shipped_model(".."));
  CHECK(shipped_model_names() == std::vector<std::string>{"small"});
  CHECK(refusal("smal").ends_with("fetches a model of the hub, with its owner's name; did you mean 'small'?"));
  CHECK(
      refusal("gone") ==
      "[gone] expected a directory, or a model with revision 'main' in the local hub cache, got "
      "none in " +
          models.path().string() + ", " + cache.path().string() + "/models--gone, " + cache.path().string() +
          "/models--sentence-transformers--gone; 'hf download OWNER/gone' fetches a model of the hub, with its owner's "
          "name");
}

TEST_CASE("models lie in share beside the program, unless the variable says otherwise") {
  const Variable unset("SUMMAND_MODELS", "");
  const auto program = fs::read_symlink("/proc/self/exe");
  CHECK(shipped_models_folder() == program.parent_path().parent_path() / "share/summand/models");
}
