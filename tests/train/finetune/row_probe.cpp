// row_probe ROWS BATCH SEED STEPS: the rows of each step that a fine-tuning of this seed trains on, a JSON list a line.

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "train/finetune/row_order.hpp"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: row_probe ROWS BATCH SEED STEPS\n", stderr);
    return 2;
  }
  summand::train::RowOrder order(std::stoul(argv[1]), std::stoul(argv[3]));
  for (int step = 0; step < std::stoi(argv[4]); ++step) {
    std::puts(nlohmann::json(order.next(std::stoul(argv[2]))).dump().c_str());
  }
  return 0;
}
