#include "lab/subject/sample_corpus.hpp"

namespace summand::lab {

const std::vector<SampleText>& sample_corpus() {
  static const std::vector<SampleText> texts{
      {"Good morning.", {}},
      {"Thank you.", {}},
      {"It rained.", {}},
      {"The shop is closed on Mondays.", {}},
      {"Who left the window open?", {}},
      {"Please bring your own cup.", {}},
      {"My sister plays the cello.", {}},
      {"How far is it to the next station?", {}},
      {"The train to Leeds leaves at 9:42 from platform 6.", {}},
      {"Nobody had told the baker that the oven was broken.", {}},
      {"Water boils at a lower temperature on a high mountain.", {}},
      {"In 1969 two people walked on the Moon for the first time.", {}},
      {"She bought three apples, two pears and a very large melon.", {}},
      {"Why do some birds fly south in autumn while others stay?", {}},
      {"The bank of the river was steep, so we sat a little further up.", {}},
      {"The bank raised its rate by a quarter of a percent on Thursday.", {}},
      {"He said that he would call, but the phone stayed silent all evening.", {}},
      {"Turn left after the church, cross the bridge, and you will see the mill.", {}},
      {"An adult has 206 bones, while a newborn child has closer to 300.", {}},
      {"If the dough sticks to the table, add a spoonful of flour and wait ten minutes.", {}},
      {"The council voted 14 to 9 on Tuesday to keep the old library open until 2031.", {}},
      {"Light from the Sun takes a little more than eight minutes to reach the Earth.", {}},
      {"The dog that chased the cat that ate the fish slept under the kitchen table.", {}},
      {"Can a machine that has read a million books be said to know what a book is?", {}},
      {"Prices for wheat rose by 3.7 percent in March after a dry winter in the east of the country.", {}},
      {"On 4 July the museum will show forty drawings that were found behind a wall during the repairs.", {}},
      {"Although the road had been closed since Friday, several drivers tried to pass and had to be towed out of "
       "the snow.",
       {}},
      {"A leaf is green because chlorophyll takes up red and blue light and sends most of the green light back to "
       "our eyes.",
       {}},
      {"The doctor asked how long the cough had lasted, listened to her chest, and wrote down the name of a syrup "
       "that tastes of cherries.",
       {}},
      {"When the lights went out, the audience thought it was part of the play, and only the actors knew that "
       "something had gone wrong.",
       {}},
      {"Engineers measured the bridge every morning for a year and found that it grows by eleven centimetres "
       "between the coldest and the warmest day.",
       {}},
      {"Each of the twelve players receives five cards; the remaining cards are placed face down in the middle, "
       "and whoever holds the lowest number begins.",
       {}},
      {"The company, which was founded in 1987 in a garage with two desks and one telephone, now employs about "
       "4,600 people in nineteen countries and sells most of its pumps abroad.",
       {}},
      {"To reset the clock, hold the left button for five seconds until the display blinks, set the hour with the "
       "right button, press the left one again for the minutes, and leave it alone for a moment.",
       {}},
      {"I used to think that gardening was a matter of patience, but after the third summer of slugs, hail and a "
       "neighbour's goat I have come to believe that it is mostly a matter of fences.",
       {}},
      {"The river rises in the hills above the village, runs through two narrow gorges where nobody has ever built "
       "a road, spreads out into a marsh full of herons, and reaches the sea at a small port whose harbour has "
       "been silting up for a hundred years.",
       {}},
      {"Sound travels about four times faster in water than in air, which is why a swimmer hears the engine of a "
       "distant boat clearly but cannot tell from which side it comes: the difference between the two ears, by "
       "which we judge direction on land, becomes too small for the brain to use.",
       {}},
      {"The minister told reporters on Wednesday evening that talks had gone well, that no date had been set for "
       "the next meeting, and that both sides would publish a short statement by the end of the week; people close "
       "to the delegation, however, said that the most difficult question, who is to pay for the new railway, had "
       "not been touched at all.",
       {}},
      {"My grandfather kept a notebook in which he wrote one line every day for sixty-one years. Most lines are "
       "about the weather. Some are about the price of coal, the health of a cow, or a letter that came. On the "
       "day my mother was born he wrote: clear sky, light wind, a girl. On the day the war ended he wrote: rain "
       "from noon. I have read all of it twice, and I still do not know whether he had nothing to say or simply "
       "knew how little room there was.",
       {}},
      {"A sentence that a computer reads is first cut into small pieces, and every piece is replaced by a number. "
       "The number is looked up in a table, and what comes back is a long row of values. A second table holds a "
       "row for every place in the sentence, and a third one says whether the piece belongs to the first or to the "
       "second part. The three rows are added, value by value, and nothing afterwards keeps them apart. One might "
       "expect that something is lost in this way, as when three colours of paint are stirred together. Yet a "
       "mixture of three voices can still be understood by someone who knows each of the speakers, and the "
       "question is how well the later layers know them.",
       {}},
      {"A man is playing the guitar.", "Someone is making music."},
      {"The children are asleep.", "The children are running in the garden."},
      {"Where was the treaty signed?", "The treaty was signed in a small town by the lake after nine days of talks."},
      {"How many legs does a spider have?", "Spiders have eight legs, insects have six."},
      {"The flight was cancelled because of fog.",
       "Passengers spent the night at the airport, and most of them left the next morning at 7:15."},
      {"She opened the letter with trembling hands.",
       "It was an invoice for the repair of the roof, 1,240 pounds, payable by 30 November."},
      {"Add the eggs one at a time.", "The engine has to be cold before the oil is changed."},
      {"The novel was praised for its quiet humour and for its portrait of a fishing village in winter.",
       "Critics liked the book."},
      {"早上好。", {}},
      {"今天下雨，我们在家里看书。", {}},
      {"请问去火车站怎么走？", {}},
      {"北京到上海的高铁大约需要四个半小时。", {}},
      {"这家面馆只有六张桌子，中午总要排队，但老板从来不着急。", {}},
      {"科学家在2019年公布了第一张黑洞的照片，照片中的光环其实是炽热的气体。", {}},
      {"他把钥匙忘在了办公室，只好坐在楼梯上等邻居回来，顺便把那本买了三年还没翻开的小说读完了一半。", {}},
      {"一个词的意思常常要看它旁边的词：同样是“打”，打电话、打毛衣、打酱油各不相同；如果把句子里的字全部打乱，人多"
       "半还能猜出大意，可是谁做了什么、先后如何，就说不清楚了。",
       {}},
      {"for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; } return sum == 0 ? -1 : sum;", {}},
      {"Flat 3, 27B Mill Lane, Kirkby-on-the-Wold, YO62 9ZZ, tel. +44 1632 960 083", {}},
      {"WARNING: DO NOT OPEN THIS DOOR WHILE THE LIGHT IS RED", {}},
      {"🙂🚲 zxqvlorp ᚠᚢᚦ ☂ wubblefrantic 🎉🎉", {}},
  };
  return texts;
}

}  // namespace summand::lab
