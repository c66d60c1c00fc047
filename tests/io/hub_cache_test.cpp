#include "io/hub_cache.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

constexpr std::array kVariables{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",     "HF_HOME", "XDG_CACHE_HOME",
                                "HOME",         "SENTENCE_TRANSFORMERS_HOME"};

/// Sets variables for one test; all others that matter are unset.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const auto* name : kVariables) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto* name : kVariables) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

std::vector<fs::path> folders_with(const std::map<std::string, std::string>& variables) {
  const Environment environment(variables);
  return hub_cache_folders();
}

const std::string kCommit = "0123456789012345678901234567890123456789";

/// Makes a model in a cache. @return its snapshot
fs::path add_model(const fs::path& cache, const std::string& folder, const std::string& branch = "main") {
  write_file(cache / folder / "refs" / branch, kCommit);
  write_file(cache / folder / "snapshots" / kCommit / "config.json", "{}");
  return cache / folder / "snapshots" / kCommit;
}

std::string refusal(std::string_view name) {
  return message_of<CheckpointError>([&] { static_cast<void>(hub_model(name)); });
}

}  // namespace

TEST_CASE("the cache's place comes from the first variable that is set") {
  using Paths = std::vector<fs::path>;
  CHECK(folders_with({{"HOME", "/h"}}) == Paths{"/h/.cache/huggingface/hub"});
  CHECK(folders_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}) == Paths{"/x/huggingface/hub"});
  CHECK(folders_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "~/f"}}) == Paths{"/h/f/hub"});
  CHECK(folders_with({{"HF_HOME", "/f"}, {"HUGGINGFACE_HUB_CACHE", "/g"}}) == Paths{"/g"});
  CHECK(folders_with({{"HUGGINGFACE_HUB_CACHE", "/g"}, {"HF_HUB_CACHE", "/c"}}) == Paths{"/c"});
  CHECK(folders_with({{"HF_HUB_CACHE", ""}, {"HOME", "/h"}}) == Paths{"/h/.cache/huggingface/hub"});
  CHECK(folders_with({{"HF_HUB_CACHE", "/c"}, {"SENTENCE_TRANSFORMERS_HOME", "/s"}}) == Paths{"/c", "/s"});
}

TEST_CASE("a hub name is found in the cache, with and without organisation and revision") {
  const TemporaryDirectory cache;
  const Environment environment({{"HF_HUB_CACHE", cache.path()}});
  const fs::path base = add_model(cache.path(), "models--org--name.v1");
  CHECK(hub_model("org/name.v1") == base);
  CHECK(hub_model("org/name.v1@main") == base);
  CHECK(hub_model("org/name.v1@" + kCommit) == base);
  const fs::path revision = add_model(cache.path(), "models--bert-base-uncased", "refs/pr/1");
  CHECK(hub_model("bert-base-uncased@refs/pr/1") == revision);
  const fs::path minilm = add_model(cache.path(), "models--sentence-transformers--all-MiniLM-L6-v2");
  CHECK(hub_model("all-MiniLM-L6-v2") == minilm);
  CHECK(hub_model("sentence-transformers/all-MiniLM-L6-v2") == minilm);
}

TEST_CASE("a name that is nowhere says where was looked") {
  const TemporaryDirectory cache;
  const Environment environment({{"HF_HUB_CACHE", cache.path()}});
  const std::string place = cache.path().string();
  CHECK(refusal("org/name") ==
        "[org/name] expected a directory, or a model with revision 'main' in the local hub cache, "
        "got none in " +
            place + "/models--org--name; 'hf download org/name' fetches a model of the hub");
  CHECK(refusal("name@v2") ==
        "[name@v2] expected a directory, or a model with revision 'v2' in the local hub cache, got "
        "none in " +
            place + "/models--name, " + place +
            "/models--sentence-transformers--name; 'hf download OWNER/name --revision v2' fetches a model of the hub, "
            "with its owner's name");
}

TEST_CASE("a well-known name is looked for below its owner, and is fetched from there") {
  const TemporaryDirectory cache;
  const Environment environment({{"HF_HUB_CACHE", cache.path()}});
  const auto fetched = [](const std::string& name, const std::string& whole) {
    const std::string message = refusal(name);
    CHECK(message.ends_with("; 'hf download " + whole + "' fetches a model of the hub"));
    CHECK(message.find("models--" + name + ", ") != std::string::npos);
  };
  fetched("bert-base-uncased", "google-bert/bert-base-uncased");
  fetched("bert-base-chinese", "google-bert/bert-base-chinese");
  fetched("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2");
  fetched("bge-small-zh-v1.5", "BAAI/bge-small-zh-v1.5");
  fetched("e5-base-v2", "intfloat/e5-base-v2");
  fetched("gte-large", "thenlper/gte-large");
  fetched("mxbai-embed-large-v1", "mixedbread-ai/mxbai-embed-large-v1");
  fetched("ms-marco-MiniLM-L6-v2", "cross-encoder/ms-marco-MiniLM-L6-v2");
  const fs::path bert = add_model(cache.path(), "models--google-bert--bert-base-uncased");
  CHECK(hub_model("bert-base-uncased") == bert);
}

TEST_CASE("a name that would lead out of the cache is no hub name") {
  const TemporaryDirectory cache;
  const Environment environment({{"HF_HUB_CACHE", cache.path()}});
  write_file(cache.path() / "models--a--b" / "refs" / "evil", "../../..");
  for (const std::string name : {"", "../x", "a/../b", "a/b/c", "/gone/x", "a//b", "a/", "a/b@../../x", "a/b@", "-x",
                                 ".x", "a--b", "a b", "a/b@x/../y"}) {
    CHECK(refusal(name) == "[" + name + "] expected a directory or a hub name (organisation/name), got neither");
  }
  CHECK(refusal("a\nb") == "[a\\x0ab] expected a directory or a hub name (organisation/name), got neither");
  CHECK(refusal("a/b@evil") ==
        "[" + (cache.path() / "models--a--b/refs/evil").string() + "] expected a commit, got ../../..");
}
