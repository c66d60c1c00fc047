#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_of_sum_or_concatenate() {
  const std::string document = "003";
  return {
      {.id = "3.1",
       .document = document,
       .quote = {"you cannot add 2 meters to 3 kilograms, but you can make a tuple (2 meters, 3 kilograms), so I think "
                 "it's more natural to concatenate these embedding together.",
                 8},
       .brief = {"unlike quantities cannot be added; concatenating is more natural", "不同的量不能相加，拼接更自然"},
       .claim =
           {"The embeddings carry different kinds of information, like metres and kilograms, which cannot be added "
            "but can form a tuple; so concatenating them is more natural.",
            "这些嵌入携带不同类型的信息，如同米与千克，不能相加，却可以组成元组；所以拼接更自然。"},
       .test = {"A concatenation with a linear map after it, folded into three tables, against the sum; and exact "
                "decoding of token, position and segment from the checkpoint's sums, by noise and precision.",
                "把拼接加线性映射折叠成三张表，与相加比较；并在不同噪声与精度下，从检查点的和中精确解码词元、位置与片"
                "段。"},
       .published =
           {"karpathy/nanoGPT, issue 83: “addition can implement concat if it wants”.",
            "karpathy/nanoGPT 第 83 号议题：“addition can implement concat if it wants”（相加若需要就能实现拼接）。"},
       .worked_out = {"Of sums from random tables (2000 tokens, 128 positions, 2 segments) with 10 % noise, before "
                      "normalisation, 11.5 % decode exactly at width 4, 97 % at 8, 100 % from 16 on.",
                      "随机表（2000 个词元、128 个位置、2 个句段）之和加 10% 噪声，归一化之前，宽 4 时 11.5% "
                      "可精确解码，宽 8 时 97%，宽 16 起 100%。"},
       .evidence = Evidence::checkpoint},
      {.id = "3.2",
       .document = document,
       .quote = {"concatenation would have the drawback of increasing the dimensionality. So for subsequent residual "
                 "connections to work, you would either have to use the increased dimensionality throughout the model, "
                 "or add yet another layer to transform it back to the original dimensionality.",
                 26},
       .brief = {"concatenating makes the model wider, or adds a layer", "拼接使模型变宽，或多一层"},
       .claim = {"Concatenation increases the dimensionality: either the whole model becomes wider, or one more layer "
                 "has to transform it back.",
                 "拼接会增加维度：要么整个模型都用更大的维度，要么再加一层变换回原来的维度。"},
       .test = {"Parameters and operations of the sum, of concatenation at full width and of concatenation with "
                "projection at the checkpoint's sizes, as they stand and after folding.",
                "按检查点的尺寸统计相加、全宽拼接、拼接加投影的参数量与运算量，折叠前与折叠后各一次。"},
       .published =
           {"google-research/bert, issue 127 (Devlin, on concatenating): “I don't really understand the advantage”.",
            "google-research/bert 第 127 号议题（Devlin 谈拼接）：“I don't really understand the "
            "advantage”（我不太明白好处何在）。"},
       .evidence = Evidence::checkpoint},
      {.id = "3.3",
       .document = document,
       .quote = {"the problem is not to embed them into the same space, but rather that subsequent layers can separate "
                 "the position information from the token information.",
                 34},
       .brief = {"later layers can separate position from token", "后续各层能分开位置与词元"},
       .claim = {"What matters is not one common space but that subsequent layers can separate position from token, "
                 "which the answer holds to be possible.",
                 "关键不在于嵌入同一个空间，而在于后续的层能否把位置信息与词元信息分开；回答者认为这是可能的。"},
       .test = {"Linear probes for token, position and segment at every layer, on items held out, with control tasks "
                "beside them; and linear erasure of each, with what it changes in the output.",
                "在每一层用线性探针读出词元、位置、句段，测试条目不参与训练，并设对照任务；再对各项做线性擦除，看输出改"
                "变多少。"},
       .published =
           {"Myskdias/XAI, a reduced replication on SST-2: a position probe on BERT has accuracy 0.999, 0.995, "
            "0.774, 0.519 and 0.373 at layers 1, 3, 6, 9 and 12.",
            "Myskdias/XAI，SST-2 上的缩减复现：BERT 的位置探针在第 1、3、6、9、12 层的准确率为 "
            "0.999、0.995、0.774、0.519、0.373。"},
       .evidence = Evidence::checkpoint},
      {.id = "3.4",
       .document = document,
       .quote = {"the token embedding could learn to encode high-frequency information only in the last dimensions to "
                 "be less affected by the positional embedding.",
                 38},
       .brief = {"the sum distorts the first dimensions most", "相加最扰动最前面的维度"},
       .claim = {"Summation distorts the first dimensions most, so the token embedding could keep its high-frequency "
                 "information in the last dimensions and be affected less.",
                 "相加对最前面的维度干扰最大，因此词元嵌入可以只在最后的维度编码高频信息，少受位置嵌入影响。"},
       .test = {"The share of position in every dimension's variance and whether the first dimensions have more, "
                "beside a sinusoid, the same sinusoid under a random rotation, and shuffled dimensions.",
                "计算位置在每个维度方差中的占比，看靠前的维度是否更大；对照为正弦表、经随机旋转的同一正弦表与打乱的维"
                "度。"},
       .published = {"james-simon.github.io 2024, on GPT-2: position concentrates on about 40 coordinates.",
                     "james-simon.github.io 2024，关于 GPT-2：位置集中在约 40 个坐标上。"},
       .evidence = Evidence::checkpoint},
      {.id = "3.5",
       .document = document,
       .quote = {"since any change in position changes the the embedding linearly. In my intuition this should also "
                 "enable easy separation of positional vs token information.",
                 42},
       .brief = {"a shift changes a position linearly, so separation is easy", "移位是线性变化，故容易分开"},
       .claim = {"PE(pos+k) is a linear function of PE(pos), so a change of position changes the embedding linearly, "
                 "which should make position easy to separate from token.",
                 "PE(pos+k) 是 PE(pos) 的线性函数，位置的改变以线性方式改变嵌入，这应当使位置与词元容易分开。"},
       .test = {"Whether the distance of any two rows stays when both positions move on by k, as one motion asks: over "
                "all pairs, without a fit; beside Gaussian tables with the same lag kernel, copies with joint random "
                "phases, and a sinusoid.",
                "任意两行的距离在两个位置同时后移 k "
                "时是否不变（同一个运动所要求的），取全部行对，不作拟合；对照为滞后核相同的高斯表、同步随机相位的副本与"
                "正弦表。"},
       .published = {},
       .worked_out = {"Skill at k = 1, 4, 8, 32 of a sinusoid 0.87, 0.87, 0.86, 0.85; of MiniLM without rows 0, 127 "
                      "and 511 0.98, 0.95, 0.86, 0.52; of its time-warped copy 0.63, 0.33, 0.23, 0.16; of a random "
                      "walk (median of 7) 0.02, −0.30, −2.5, −0.11.",
                      "k = 1、4、8、32 的技巧评分，正弦 0.87、0.87、0.86、0.85；MiniLM 去掉第 0、127、511 行 "
                      "0.98、0.95、0.86、0.52；其时间扭曲的副本 0.63、0.33、0.23、0.16；随机游走（7 "
                      "次的中位数）0.02、−0.30、−2.5、−0.11。"},
       .evidence = Evidence::checkpoint},
  };
}

}  // namespace summand::lab
