#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_beyond_the_documents() {
  const std::string document = kBeyondTheDocuments;
  return {
      {.id = "X1",
       .document = document,
       .quote = {},
       .brief = {"the position table is a few circles, like clocks", "位置表是少数几个圆，如同时钟"},
       .claim =
           {"The position table is a few circles, each turned at a pace of its own, about which its phase may wander.",
            "位置表是少数几个圆，各按自己的步速转动，相位可以围绕匀速游移。"},
       .test = {"One step as one linear map, fitted to one half of the positions: the share of the other half's "
                "variance in "
                "its circles; beside random walks, smooth and white noise, and planted circles.",
                "把一步看作一个线性映射，在一半位置上拟合，看其中的圆占另一半方差的多少；对照为随机游走、平滑噪声、白噪"
                "声与构造的圆。"},
       .published = {},
       .worked_out =
           {"On MiniLM with 10 components the angles are 0.61, 2.35, 6.98, 21.05 and 60.55 degrees a step, and the "
            "five planes hold 0.95 of the variance.",
            "在 MiniLM 上取 10 个主成分，每步角度为 0.61、2.35、6.98、21.05 与 60.55 度，五个平面合占方差的 0.95。"},
       .evidence = Evidence::checkpoint},
      {.id = "X2",
       .document = document,
       .quote = {},
       .brief = {"the circles' paces form a ladder of one ratio", "各圆的步速近似成等比阶梯"},
       .claim = {"The circles' paces form a ladder of nearly one ratio.", "各圆的步速近似成等比阶梯。"},
       .test = {"The spread of the logarithms of consecutive ratios against 10,000 random ladders with the same ends "
                "and neighbours as far apart as circles have to be, in all positions and in every part; every ratio "
                "with its interval, beside e.",
                "把相邻比值对数的离散程度与 10,000 "
                "个两端相同、相邻至少与圆的要求一样远的随机阶梯比较，取全部位置与各部分；各比值及其区间与 e 并列。"},
       .published = {"Wei et al. 2015, abstract: for grid cells the ratio of adjacent scales that needs fewest neurons "
                     "is the square root of e in the plane, 1.4 to 1.7 for realistic neurons.",
                     "Wei 等 2015，摘要：对网格细胞，平面上所需神经元最少的相邻尺度之比为 e 的平方根，现实神经元为 1.4 "
                     "至 1.7。"},
       .worked_out = {"On MiniLM each circle is 3.0 times as fast as the one before.",
                      "在 MiniLM 上每个圆的步速是前一个的 3.0 倍。"},
       .evidence = Evidence::checkpoint},
      {.id = "X3",
       .document = document,
       .quote = {},
       .brief = {"different heads follow different circles", "不同的头跟随不同的圆"},
       .claim = {"The model reads the circles apart: different heads follow different ones.",
                 "模型把这些圆分开来读：不同的注意力头跟随不同的圆。"},
       .test =
           {"One circle stopped, reversed or sped up at a time, row 0 kept: sentence vectors, the loss where there "
            "is one, and attention by offset head by head; beside random planes of the same variance.",
            "每次让一个圆停住、反转或加快，保留第 0 行：看句向量、可得时的损失，以及各头按偏移的注意力；对照为方差相"
            "同的随机平面。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "X4",
       .document = document,
       .quote = {},
       .brief = {"the circles come from needing relative position", "圆来自对相对位置的需要"},
       .claim = {"The circles come from the need for relative position.", "这些圆来自对相对位置的需要。"},
       .test =
           {"In small models trained from scratch on tasks of absolute position, local relation and segment, and on "
            "text: when and in which order circles appear; their number and ratio against table length, width and "
            "task.",
            "从头训练小模型，任务为绝对位置、局部关系、句段以及文本：看圆何时、按什么次序出现，其个数与比值怎样随表长"
            "、宽度和任务变化。"},
       .published = {},
       .evidence = Evidence::trained_controls,
       .so_far = {"So far: `docs/findings.md` has when one model's table begins to turn, summand-mini's: when its rows "
                  "begin to be used. One run, and no other task: that shows when, not why.",
                  "目前：`docs/findings.md` 给出了一个模型（summand-mini）的位置表何时开始转动：当各行开始被用到时。只"
                  "有一次训练、一种任务：说明何时，不说明为何。"}},
  };
}

}  // namespace summand::lab
