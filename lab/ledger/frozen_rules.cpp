#include "lab/ledger/frozen_rules.hpp"

#include <array>

namespace summand::lab {

namespace {

// What `summand lab list --json` said of the rules when they were frozen.
constexpr auto kFrozen = std::to_array<FrozenRule>({
    {"0.1", "c8b51e8f2307064e"},  {"0.10", "1bfe3e0efab54f2b"}, {"0.2", "8bcd805bf7e2c051"},
    {"0.4", "775b06652254fc7b"},  {"0.5", "b7542ba614b2d67b"},  {"0.6", "78525f73a43e778c"},
    {"0.8", "979763b794d17a45"},  {"0.9", "8207622193f5afc1"},  {"3.1", "b9d9db4860e41e22"},
    {"3.2", "1e24b4872e8f7cb5"},  {"3.3", "2b3913ce827ecbd9"},  {"3.4", "892dad0c4a7c2c1b"},
    {"3.5", "c5a0cbdec39ba5b6"},  {"4.1", "95c6f8dadd4c133e"},  {"4.10", "052b8d36ce46a570"},
    {"4.11", "da4cdc8b12490801"}, {"4.2", "7b96c6353b5e342b"},  {"4.3", "e5d2b835d5c74308"},
    {"4.4", "da4c8eb15d8af90e"},  {"4.5", "75f697ab2576e1ba"},  {"4.6", "dc71a0bf006eed59"},
    {"4.8", "9f592b3a7acb58a6"},  {"4.9", "3858eaa0d6f7d90f"},  {"E1", "6d377605af8b52ed"},
    {"E10", "b68fc0cff4188c62"},  {"E2", "9c605ce5660913e0"},   {"E3", "0daaa958a6bed1f4"},
    {"E4", "68c8229ab05a7a54"},   {"E5", "3a184471ec2f8053"},   {"E6", "3554f60461a495ff"},
    {"E7", "ec895ef318d006e5"},   {"E8", "54a944c9b5e76dbf"},   {"E9", "a617e3f1ce24b54e"},
    {"Q1", "f63dcf3d125107bf"},   {"Q10", "2564eb5bcc8eb806"},  {"Q3", "c64c96eaeffa66b7"},
    {"Q4", "f59d6960b526ebe2"},   {"Q5", "4142ccdc5edc293d"},   {"Q5b", "ff664385492c7997"},
    {"Q6", "9e87a88387f762b7"},   {"Q6b", "1bc685d9e60c1ab2"},  {"Q7", "8e4ac1386be8463c"},
    {"Q8a", "d263e5fcfc0d5ff6"},  {"Q8b", "d1221af1388fdb6e"},  {"Q8c", "3dda42d28aefe91d"},
    {"Q9", "e0aaee1c8c39a782"},   {"X1", "be794a99e1b052ed"},   {"X2", "09b98c674b7442d9"},
    {"X3", "64bf6780ca07c8c9"},
});

// Each has a row in docs/rules.md, under "Since rules-3".
constexpr auto kReworded = std::to_array<FrozenRule>({
    {"0.8", "14bcf1fef9b6a891"},
    {"3.1", "d3da65c720221818"},
    {"3.5", "f91b5e6d0e92949a"},
    {"4.11", "c82a7355ca56676e"},
    {"4.2", "4eb5039c93eaa9ed"},
    {"4.5", "e5f2da24ee4ea980"},
    {"E3", "a54dfb77f4278221"},
    {"E4", "0f7a7a307fc47729"},
    {"E5", "79758ea4ef662ff3"},
    {"Q6", "7d9256f45b840466"},
    {"Q6b", "2cedc6b80a17c44a"},
    {"X1", "f8e483d217c7599d"},
    {"X2", "400fa157745a771e"},
});

}  // namespace

std::span<const FrozenRule> frozen_rules() {
  return kFrozen;
}

std::span<const FrozenRule> reworded_rules() {
  return kReworded;
}

}  // namespace summand::lab
