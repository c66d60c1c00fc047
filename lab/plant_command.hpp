#pragma once

#include "lab/plant/plant.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace summand::lab {

/// What `summand lab plant` was asked.
struct PlantCommand {
  PlantRequest request;
  bool list = false;
};

/// @param command  filled in when the program's words are parsed; outlives it
CLI::App* add_plant_command(CLI::App& program, PlantCommand& command);

/// Does it, or lists the kinds. @return what to print @throws as plant_truth(); UsageError without a kind or a folder
[[nodiscard]] std::string run_plant_command(const PlantCommand& command);

}  // namespace summand::lab
