#include "base/nearest_name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace summand;

TEST_CASE("the name with the fewest changed letters is meant, and none where a third would change") {
  const std::vector<std::string> names{"embed", "similarity", "inspect", "info", "next-sentence", "tag"};
  CHECK(nearest_name("embed", names) == "embed");
  CHECK(nearest_name("embde", names) == "embed");  // one swap
  CHECK(nearest_name("mbed", names) == "embed");
  CHECK(nearest_name("embedd", names) == "embed");
  CHECK(nearest_name("inspekt", names) == "inspect");
  CHECK(nearest_name("simillarty", names) == "similarity");
  CHECK(nearest_name("next_sentence", names) == "next-sentence");
  CHECK(nearest_name("tog", names) == "tag");
  CHECK_FALSE(nearest_name("tug-of", names));
  CHECK_FALSE(nearest_name("tuk", names));
  CHECK_FALSE(nearest_name("position_learnable", std::vector<std::string>{"position_scale"}));
  CHECK_FALSE(nearest_name("quantize", names));
  CHECK_FALSE(nearest_name("", names));
  CHECK_FALSE(nearest_name("embed", {}));
  CHECK_FALSE(nearest_name(std::string(1'000'000, 'e'), names));
}

TEST_CASE("the nearer of two names is offered, and the earlier of two as near") {
  const std::vector<std::string> names{"position_scale", "position_base", "position_bass"};
  CHECK(nearest_name("position_bose", names) == "position_base");
  CHECK(did_you_mean("position_bas", names) == "; did you mean 'position_base'?");
  CHECK(did_you_mean("a", names).empty());
}

TEST_CASE("of many names the likest come first: those that hold the word, then those with the fewest changed letters") {
  const std::vector<std::string> names{"encoder.layer.0.output.dense.weight",
                                       "pooler",
                                       "embeddings.position.weight",
                                       "position",
                                       "poller",
                                       std::string(1000, 'p')};
  CHECK(closest_names("position", names, 2) == std::vector<std::string>{"position", "embeddings.position.weight"});
  CHECK(closest_names("poolre", names, 2) == std::vector<std::string>{"pooler", "poller"});
  CHECK(closest_names("poler", names, 2) == std::vector<std::string>{"pooler", "poller"});  // as near: as they stand
  CHECK(closest_names("x", names, 9).size() == names.size());
  CHECK(closest_names("x", names, 9).back() == names.back());
  CHECK(closest_names("", names, 1) == std::vector<std::string>{"pooler"});
  CHECK(closest_names(std::string(1'000'000, 'e'), names, 1).size() == 1);
  CHECK(closest_names("x", {}, 3).empty());
}
