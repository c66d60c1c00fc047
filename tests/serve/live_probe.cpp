// live_probe SUMMAND_LAB FOLDER NAME=MODEL…: answers requests to the live page's addresses, a JSON line each, as a
// server will: {"method", "path", "query", "body"} gives {"status", "type", "body"}. For the test of the page.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "serve/live/assets.hpp"
#include "serve/live/claim_run.hpp"
#include "serve/live/live_model.hpp"

namespace {

using namespace summand;
using namespace summand::serve::live;
using Json = nlohmann::json;

struct Named {
  std::string path;
  LiveModel model;
};

struct Probe {
  std::map<std::string, Named> models;
  std::vector<std::string> order;
  ClaimRun claims;
};

Json answer(int status, std::string body, std::string_view type = "application/json") {
  return {{"status", status}, {"type", type}, {"body", std::move(body)}};
}

Json refused(std::string_view line) {
  return answer(422, Json{{"error", line}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Named& named(Probe& probe, const Json& body) {
  const auto name = body.value("model", "");
  const auto found = probe.models.find(name);
  if (found == probe.models.end())
    throw UsageError("model", fmt::format("expected a known one, got '{}'", printable(name)));
  return found->second;
}

std::string models_json(Probe& probe) {
  auto list = Json::array();
  for (const auto& name : probe.order) {
    auto facts = Json::parse(probe.models.at(name).model.describe());
    facts["name"] = name;
    list.push_back(std::move(facts));
  }
  return list.dump();
}

Json answer_to(Probe& probe, const Json& request) {
  const std::string method = request.at("method");
  const std::string path = request.at("path");
  if (path == "/live/models") return answer(200, models_json(probe));
  const auto body =
      method == "POST" ? Json::parse(request.at("body").get<std::string>(), nullptr, false) : Json::object();
  if (!body.is_object()) return refused("expected a JSON object");
  if (path == "/live/look") return answer(200, named(probe, body).model.look(request.at("body").get<std::string>()));
  if (path == "/live/claims") {
    if (method == "POST") {
      const auto& model = named(probe, body);
      probe.claims.start(
          {.model = model.path, .name = body.at("model"), .only = body.value("only", std::vector<std::string>())});
    }
    if (method == "DELETE") probe.claims.cancel();
    const std::string query = request.value("query", "");
    const size_t after = query.starts_with("after=") ? std::stoul(query.substr(6)) : 0;
    return answer(200, probe.claims.state(after));
  }
  if (const auto found = asset(path)) return answer(200, std::string(found->bytes), found->content_type);
  return answer(404, "not found", "text/plain");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  Probe probe{.models = {}, .order = {}, .claims = ClaimRun(argv[1], argv[2])};
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto at = word.find('=');
    const std::string name(word.substr(0, at)), path(word.substr(at + 1));
    probe.models.emplace(name, Named{path, LiveModel::load(path)});
    probe.order.push_back(name);
  }
  for (std::string line; std::getline(std::cin, line);) {
    Json reply;
    try {
      reply = answer_to(probe, Json::parse(line));
    } catch (const Error& error) {
      reply = refused(error.what());
    }
    std::cout << reply.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}
