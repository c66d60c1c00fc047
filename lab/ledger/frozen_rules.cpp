#include "lab/ledger/frozen_rules.hpp"

#include <array>

namespace summand::lab {

namespace {

// What `summand lab list --json` said of the rules when they were frozen.
constexpr auto kFrozen = std::to_array<FrozenRule>({
    {"0.1", "c8b51e8f2307064e"},  {"0.10", "7c19a1ab1c921411"}, {"0.2", "8bcd805bf7e2c051"},
    {"0.4", "775b06652254fc7b"},  {"0.5", "b7542ba614b2d67b"},  {"0.6", "ff508213cc7dda1d"},
    {"0.8", "979763b794d17a45"},  {"0.9", "8207622193f5afc1"},  {"3.1", "633d8702caedee5e"},
    {"3.2", "1e24b4872e8f7cb5"},  {"3.3", "2b3913ce827ecbd9"},  {"3.4", "fe725c086565e616"},
    {"3.5", "664f5dff779ff1ae"},  {"4.1", "88da7b48de6757dc"},  {"4.10", "dd2871a5bdefe9c3"},
    {"4.11", "f69b20ddacabd303"}, {"4.2", "7b96c6353b5e342b"},  {"4.3", "e5d2b835d5c74308"},
    {"4.4", "da4c8eb15d8af90e"},  {"4.5", "513d5abec4b68eb4"},  {"4.6", "6193232451209261"},
    {"4.8", "e12b47fe9f92fa31"},  {"4.9", "3858eaa0d6f7d90f"},  {"E1", "27b63809342bf6f8"},
    {"E10", "b68fc0cff4188c62"},  {"E2", "b18d6dbe8ca0ed7b"},   {"E3", "9d723b2f5f422953"},
    {"E4", "97148266dafba7b7"},   {"E5", "376156a79275d08e"},   {"E6", "293bbd87dd3f9155"},
    {"E7", "6e893689a15dd201"},   {"E8", "83ea0d2735f26655"},   {"E9", "a617e3f1ce24b54e"},
    {"Q1", "f63dcf3d125107bf"},   {"Q10", "2564eb5bcc8eb806"},  {"Q3", "c64c96eaeffa66b7"},
    {"Q4", "ce392da11e3a68cc"},   {"Q5", "4142ccdc5edc293d"},   {"Q5b", "ff664385492c7997"},
    {"Q6", "9e87a88387f762b7"},   {"Q6b", "3e47c768078715f0"},  {"Q7", "2a632f9049e30836"},
    {"Q8a", "d263e5fcfc0d5ff6"},  {"Q8b", "d1221af1388fdb6e"},  {"Q8c", "3dda42d28aefe91d"},
    {"Q9", "e0aaee1c8c39a782"},   {"X1", "9ed2bd8f32aeb5f6"},   {"X2", "15439d15a5da620d"},
    {"X3", "64bf6780ca07c8c9"},
});

}  // namespace

std::span<const FrozenRule> frozen_rules() {
  return kFrozen;
}

}  // namespace summand::lab
