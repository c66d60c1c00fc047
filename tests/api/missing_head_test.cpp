#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "summand/summand.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

TEST_CASE("a model without a head says so, with no texts as well") {
  const TinyDirectory directory("missing_head", 1, {.heads = {Head::masked_language}});
  const auto model = Model::load(directory.name());
  const auto refusal = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no ConfigError";
  };
  const auto lacks = [](const std::string& head) {
    return "[heads] this model has no " + head + " head; it has: masked language";
  };
  CHECK(model.fill_mask({}).texts.empty());
  CHECK(refusal([&] { (void)model.next_sentence({}); }) == lacks("next sentence"));
  CHECK(refusal([&] { (void)model.classify({}); }) == lacks("sequence classification"));
  CHECK(refusal([&] { (void)model.rerank("a", {}); }) == lacks("sequence classification"));
  CHECK(refusal([&] { (void)model.tag({}); }) == lacks("token classification"));
}
