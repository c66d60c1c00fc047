#include "train/network/window_network.hpp"

#include "model/window_bert.hpp"

namespace summand::train {

Network window_network(const Network& network) {
  return {model::window_bert_config(network.config()), Parameters(network.parameters(), model::name_in_window_bert)};
}

}  // namespace summand::train
