#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_of_sinusoid_derived() {
  const std::string document = "004";
  return {
      {.id = "4.1",
       .document = document,
       .quote = {"对于不带Attention Mask的纯Attention模型,它是全对称的", 11},
       .brief = {"without positions and mask, BERT is fully symmetric", "没有位置与掩码，BERT 全对称"},
       .claim =
           {"Pure attention without a mask is fully symmetric: exchanging any two inputs leaves the scalar f "
            "unchanged, which is why a Transformer cannot tell positions.",
            "不带 Attention Mask 的纯注意力模型是全对称的：交换任意两个输入，标量 f 不变，所以 Transformer 无法识别"
            "位置。"},
       .test = {"Without positions and mask, inputs permuted: the largest difference between the outputs and the "
                "permuted outputs, of single tokens and of their mean, with a causal mask as the case that breaks it.",
                "去掉位置与掩码后置换输入：给出输出与被置换的输出之间的最大差（逐词元与取均值），并以因果掩码作为打破对"
                "称的情形。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "4.2",
       .document = document,
       .quote = {"第1项跟位置无关,第2到5项都只依赖于单一位置,所以它们是纯粹的绝对位置信息", 19},
       .brief = {"two positions act together as pₘᵀ H pₙ says", "两个位置的共同作用即二阶项 pₘᵀ H pₙ"},
       .claim =
           {"Expanded to second order in small position vectors, only the term p_mᵀ H p_n holds both positions and "
            "can express the relative one; all others are constant or purely absolute.",
            "把位置向量视为小量展开到二阶，只有 p_mᵀ H p_n 一项同时含有两个位置，可表达相对位置；其余各项是常数或纯"
            "粹的绝对位置信息。"},
       .test =
           {"For f along random directions of the output: what share of the change at full size of p the first and "
            "second orders explain, the size of each term, and the mixed difference.",
            "取输出的随机方向为 f：看 p 取完整大小时一阶与二阶展开解释了变化的多少，给出每一项的大小以及混合差分。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "4.3",
       .document = document,
       .quote = {"它使得随着|m−n|的增大,⟨pm,pn⟩有着趋于零的趋势。", 110},
       .brief = {"sinusoids' inner products depend on distance and decay", "正弦编码的内积只依距离并衰减"},
       .claim = {"With sinusoidal positions the inner product of p_m and p_n is a function of m − n, and tends to zero "
                 "as the distance grows.",
                 "正弦位置编码的内积 ⟨p_m, p_n⟩ 是 m − n 的函数，并且随距离增大有趋于零的趋势。"},
       .test = {"Sum and integral in closed form on −128…128 and on 0…511: first rising step, share of falling steps, "
                "minimum, beside the logarithmic approximation; and the checkpoint's own inner products by distance.",
                "以封闭形式在 −128…128 与 0…511 上计算求和与积分：首次回升处、下降步的比例、最小值，与对数近似并列；并"
                "按距离给出检查点自己的内积。"},
       .published = {},
       .worked_out = {"768 wide, base 10⁴, 0.973, 0.723, 0.486 and 0.246 at distance 1, 8, 64 and 511; first rising "
                      "step at 44 (at 25 when 384 wide), 64 % of the steps fall, minimum 0.244.",
                      "宽 768、底数 10⁴，距离 1、8、64、511 处为 0.973、0.723、0.486、0.246；首次回升在 44（宽 384 "
                      "时在 25），64% 的步下降，最小值 0.244。"},
       .evidence = Evidence::checkpoint},
      {.id = "4.4",
       .document = document,
       .quote = {"也只是一个折中的选择,没有什么特殊性", 51},
       .brief = {"base 10000 is nothing special", "底数 10000 并不特殊"},
       .claim = {"10000 is a compromise and nothing special: the author would take 1000, other functions such as t^α "
                 "decay too, and the frequencies could be trained from there.",
                 "10000 只是折中的选择，没有特殊性：作者多半会选 1000，t^α 等其他函数同样衰减，也可以把频率设为可训练"
                 "的。"},
       .test = {"The inner product by distance for bases 10² to 10⁵ and powers t^α: first rising step, values near and "
                "far, which cross zero, which fall faster near and which far.",
                "对底数 10² 至 10⁵ 以及幂函数 t^α，按距离计算内积：首次回升处、近处与远处的值、哪些穿过零、哪些近处降得"
                "快、哪些远处降得快。"},
       .published = {"Cramming (paper): a scaled sinusoid did better than learned and plain sinusoidal positions.",
                     "Cramming（论文）：带缩放的正弦位置优于可学习位置与普通正弦位置。"},
       .worked_out = {"Base 10³ gives 0.316 at distance 64 and 0.034 at 511, first rising step at 69.",
                      "底数 10³ 时，距离 64 处为 0.316，511 处为 0.034，首次回升在 69。"},
       .evidence = Evidence::checkpoint},
      {.id = "4.5",
       .document = document,
       .quote = {"可以看到它也是确实包含了相对位置m-n,只不过可能会多出m+n这一项", 58},
       .brief = {"diagonal H keeps m − n, adds m + n", "H 对角时交互为 m − n 加 m + n"},
       .claim = {"With a diagonal H the interaction still holds the relative position m − n and adds a term in m + n, "
                 "which equal entries in each pair of dimensions remove.",
                 "H 为对角阵时，交互项仍含相对位置 m − n，只是多出 m + n 一项；每对维度的对角元素相等即可消去它。"},
       .test = {"P·H·Pᵀ off its diagonal, many random H, fitted by Toeplitz and Hankel parts, beside a random walk, "
                "which is exactly both; and the table under the model's own H, beside a sinusoid in that H's axes.",
                "取许多随机 H，对 P·H·Pᵀ 的非对角部分联合拟合 Toeplitz 与 Hankel 两部分，对照为随机游走，它恰为两者之"
                "和；再取模型自己的 H，对照为置于其主轴上的正弦编码。"},
       .published = {},
       .worked_out = {"In Toeplitz and Hankel shares white noise scores 0.43 with the diagonal, 0.004 without it.",
                      "按 Toeplitz 与 Hankel 占比，白噪声含对角线时得 0.43，不含时得 0.004。"},
       .evidence = Evidence::checkpoint},
      {.id = "4.6",
       .document = document,
       .quote = {"笔者检验了BERT训练出来的词Embedding矩阵和位置Embedding矩阵的协方差矩阵,发现对角线元素明显比非对角线元"
                 "素大,证明了对角线元素占主项这个假设具有一定的合理性。",
                 62},
       .brief = {"covariances have large diagonals, so H is nearly diagonal", "协方差对角线大，故 H 近似对角"},
       .claim =
           {"In the covariance matrices of BERT's token and position embeddings the diagonal is clearly larger "
            "than the rest, so assuming that H is dominated by its diagonal is reasonable.",
            "BERT 的词元嵌入与位置嵌入的协方差矩阵中，对角线元素明显大于非对角线元素，因此假设 H 以对角线为主项有一定"
            "合理性。"},
       .test = {"The same check of both covariances beside pure noise; and H itself, as mixed second derivatives at "
                "the sum without positions, and as the first layer's query–key form, with the diagonal's share of "
                "energy.",
                "对两个协方差矩阵做同样的检查，与纯噪声并列；并在不加位置的和处，以混合二阶导数直接测量 H，另测第一层的"
                "查询–键形式，给出对角线所占的能量。"},
       .published = {},
       .worked_out =
           {"Pure noise passes the check: in a 512 × 768 Gaussian table the diagonal is 28 times the mean size off it, "
            "yet the norm off the diagonal is 1.22 of the diagonal's; with 30,522 rows 219 times and 0.158.",
            "纯噪声也能通过这一检查：512 × 768 的高斯表中，对角线是非对角线平均绝对值的 28 "
            "倍，但非对角部分的范数是对角线的 1.22 倍；行数为 30,522 时，分别是 219 倍与 0.158。"},
       .evidence = Evidence::checkpoint},
      {.id = "4.7",
       .document = document,
       .quote = {"在像BERT这样的经过充分预训练的Transformer模型中,直接训练的位置编码效果是要比Sinusoidal位置编码好些",
                 64},
       .brief = {"learned positions do better than sinusoidal ones", "可学习的位置优于正弦位置"},
       .claim = {"In well pre-trained Transformers such as BERT, directly trained positions do somewhat better than "
                 "sinusoidal ones.",
                 "在像 BERT 这样经过充分预训练的 Transformer 中，直接训练的位置编码比正弦位置编码好一些。"},
       .test = {"In small models trained from scratch: learned, sinusoidal, scaled, other-based, trainable-frequency "
                "and frozen random positions; the excess loss over Bayes of each, in paired seeds.",
                "从头训练小模型：可学习、正弦、带缩放的正弦、其他底数、频率可训练、随机冻结的位置；用配对种子给出各自相"
                "对于贝叶斯最优的超额损失。"},
       .published =
           {"Vaswani et al. 2017, table 3, base and row E, machine translation: sinusoid 25.8 BLEU, learned 25.7, "
            "perplexity 4.92 both. Haviv et al. 2022, table 4, masked-word perplexity: 4.06 learned, 4.07 sinusoidal. "
            "Wang et al. "
            "2021, abstract: learned absolute positions best for GLUE, relative ones for SQuAD. Cramming (paper): "
            "a scaled sinusoid best.",
            "Vaswani 等 2017 表 3 基准行与第 E 行，机器翻译：正弦 25.8 BLEU，可学习 25.7，困惑度均为 4.92。Haviv 等 "
            "2022 表 4，掩"
            "码词困惑度：可学习 4.06，正弦 4.07。Wang 等 2021，摘要：GLUE 上可学习的绝对位置最好，SQuAD 上相对位置"
            "最好。Cramming（论文）：带缩放的正弦最好。"},
       .evidence = Evidence::trained_controls,
       .so_far = {"So far: `models/tenth-learned/README.md` has sisters that differ in their positions alone. After a "
                  "tenth of summand-mini's training a masked word costs 5.549 nats with learned positions and 5.253 "
                  "with sines: sines learn sooner, with one seed. Which do better once a model is well trained, this "
                  "does not show.",
                  "目前：`models/tenth-learned/README.md` 中的姊妹模型只在位置上不同。训练到 summand-mini 的十分之一"
                  "时，每个掩码词的损失为可学习位置 5.549 nat、正弦位置 5.253 "
                  "nat：正弦学得更早，仅一个种子。充分训练之后哪个更好，这没有说明。"}},
      {.id = "4.8",
       .document = document,
       .quote = {"发现词Embedding的平均模长要比位置Embedding的平均模长大", 66},
       .brief = {"token rows are longer than position rows", "词元行比位置行长"},
       .claim =
           {"In BERT the mean norm of the token embeddings is larger than that of the position embeddings, so p is "
            "small to some degree, though the difference is not overwhelming.",
            "BERT 中词元嵌入的平均模长大于位置嵌入的平均模长，说明 p 在某种程度上是小量，但并非压倒性。"},
       .test = {"Norms of the rows of both tables, raw and centred, uniform and weighted by corpus frequency: means, "
                "quantiles, and position by position.",
                "计算两张表各行的模长，原始与中心化、均匀与按语料词频加权：给出均值、分位数，并逐个位置列出。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "4.9",
       .document = document,
       .quote = {"在attention中应该没什么关系。", 140},
       .brief = {"longer rows do not raise the attention score", "模长与注意力分数关系不大"},
       .claim =
           {"A reader asks whether an embedding of larger norm contributes more to the attention score; the author "
            "replies that in attention there should be little connection.",
            "读者问：模长更大的嵌入是否对注意力分数贡献更大；作者答：在 attention 中应该没什么关系。"},
       .test = {"The position rows' deviations from their mean scaled by factors from 0 to 3: how output and attention "
                "change; and the first layer's logits split exactly into their terms of token, position and segment.",
                "把位置行对其均值的偏差乘以 0 到 3 的系数：看输出与注意力怎样变化；并把第一层的 logits "
                "精确分解为词元、位置、句段各项。"},
       .published =
           {"TUPE (Ke et al., 2006.15595), figure 2: cross terms nearly uniform, from one batch. DeBERTa, table 4, "
            "MNLI-m: 86.3 in full, 85.9 without content-to-position and 86.0 without position-to-content terms.",
            "TUPE（Ke 等，2006.15595）图 2：交叉项近乎均匀，仅据一个批次。DeBERTa 表 4，MNLI-m：完整 86.3，去掉内容"
            "到位置项 85.9，去掉位置到内容项 86.0。"},
       .evidence = Evidence::checkpoint},
      {.id = "4.10",
       .document = document,
       .quote = {"仅使用前几位的长度就能对不同位置进行有效的区分,那为什么还要这么多的维度,不是冗余的吗?", 109},
       .brief = {"so many position dimensions are redundant", "这么多位置维度是冗余的"},
       .claim =
           {"A reader asks whether so many dimensions are not redundant, since the first few tell positions apart; "
            "the author replies that one scalar would, but is unfriendly to a network.",
            "读者问：前几维就能区分不同位置，这么多维度是否冗余；作者答：区分位置只需一个标量，但那样的输入对神经网"
            "络并不友好。"},
       .test = {"One component, or one band of frequencies, of the position table removed at a time: how much the "
                "output changes; trained controls would vary the positions' width down to a bare scalar.",
                "每次去掉位置表的一个主成分或一个频段：看输出改变多少；训练对照将把位置的宽度一直减到一个标量。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "4.11",
       .document = document,
       .quote = {"请问“相对位置距离”具体指什么?应该有那些特性?", 123},
       .brief = {"relative position: a factor, a difference, or n − m?", "相对位置：倍数、差，还是 n − m？"},
       .claim = {"A reader asks what a relative position is, p(x+k) = αp(x) or a constant difference; the author "
                 "replies that it tells the model n − m.",
                 "读者问：相对位置究竟指什么，是 p(x+k) = αp(x)，还是差为常数；作者答：它告诉模型位置差是 n − m。"},
       .test =
           {"Four readings side by side: one factor, a constant difference, distances kept when both positions move on "
            "(3.5), and how much n − m alone tells of all squared distances; beside the same tables as in 3.5.",
            "四种解读并列：一个系数、常数差、两个位置同时后移时距离保持（3.5），以及仅凭 n − m "
            "能决定全部距离平方的多少；对照表同 3.5。"},
       .published = {},
       .evidence = Evidence::checkpoint},
  };
}

}  // namespace summand::lab
