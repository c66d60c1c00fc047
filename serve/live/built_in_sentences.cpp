#include "serve/live/built_in_sentences.hpp"

#include <array>

namespace summand::serve::live {

std::span<const std::string> built_in_sentences() {
  static const std::array<std::string, 20> sentences{
      "We had a picnic on the bank of the river.",
      "The bank lent us the money for a house.",
      "The river burst its banks after the storm.",
      "The dog chased the cat across the garden.",
      "The cat chased the dog across the garden.",
      "A child is playing the violin.",
      "Somebody practises an instrument.",
      "She did not like the film at all.",
      "She liked the film very much.",
      "The train to the coast leaves at nine.",
      "Interest rates rose again this month.",
      "Bread is baked from flour, water and salt.",
      "The earth goes round the sun once a year.",
      "Nobody knows why the bridge collapsed.",
      "我们在河边野餐。",
      "银行借钱给我们买房。",
      "狗追着猫跑过花园。",
      "猫追着狗跑过花园。",
      "她一点也不喜欢这部电影。",
      "地球每年绕太阳转一圈。",
  };
  return sentences;
}

}  // namespace summand::serve::live
