#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_of_position_table_notebook() {
  const std::string document = "002";
  return {
      {.id = "E1",
       .document = document,
       .quote = {"基本跟初始化一样，还是标准差为0.02的截断正态分布，超出两个标准差的参数（训练的结果）很少", 8},
       .brief = {"position weights are still distributed as at initialisation", "位置权重仍如初始化时分布"},
       .claim = {"The trained position table's weights are distributed as at initialisation, a truncated normal of "
                 "standard deviation 0.02; few lie beyond two deviations.",
                 "训练后位置表的权重分布与初始化基本一样，仍是标准差 0.02 的截断正态；超出两个标准差的很少。"},
       .test = {"Row by row, not pooled: kurtosis, and the share of rows that the initial law could have given, spread "
                "as the median row; beside them its width, and the Kolmogorov–Smirnov distance.",
                "逐行（而不是合并）看峰度，以及可由初始分布（尺度取中位行）给出的行的比例；并列其宽度与 "
                "Kolmogorov–Smirnov 距离。"},
       .published =
           {"The document's own figure: weights from −1.03 to +0.81, peak density about 29 against the law's 20.9.",
            "该文自己的图：权重从 −1.03 到 +0.81，密度峰值约 29，而该分布应为 20.9。"},
       .worked_out = {"768 wide, a normal truncated at two deviations has standard deviation 0.01759, row norm 0.4875, "
                      "kurtosis 2.37 and nothing beyond 0.04; an untruncated one has 4.6 % beyond.",
                      "宽 768，在两个标准差处截断的正态，标准差 0.01759，行模长 0.4875，峰度 2.37，没有超过 0.04 "
                      "的值；不截断时有 4.6% 超过。"},
       .evidence = Evidence::checkpoint},
      {.id = "E2",
       .document = document,
       .quote = {"2个标准差外的值主要都在pos比较靠前的部分。这个地方我想了想可能跟实际训练中，靠后部分主要都是[PAD]有"
                 "关。",
                 10},
       .brief = {"values beyond two deviations lie at early positions", "超过两个标准差的值集中在前部"},
       .claim = {"Values beyond two standard deviations lie mainly at the early positions, perhaps because in training "
                 "the later ones mostly hold [PAD].",
                 "两个标准差以外的值主要在靠前的位置，可能因为训练中靠后的位置主要是 [PAD]。"},
       .test =
           {"The number beyond two deviations at every position, a change-point test at 128, and the leverage of "
            "every row; the rows of a smooth path resampled in blocks.",
            "统计每个位置上超出两个标准差的个数，在 128 处做变点检验，并计算每行的杠杆值；平滑路径的行按块重抽样。"},
       .published =
           {"BERT paper: 90 % of the steps at length 128, the other 10 % at 512 “to learn the positional embeddings”. "
            "The document's own figures: the components' heat map breaks at 128, the path jumps from 127 to 131.",
            "BERT 论文：90% 的步数用长度 128，其余 10% 用 512，“to learn the positional "
            "embeddings”（以学习位置嵌入）。该文自己的图：主成分热图在 128 处断开，轨迹从 127 跳到 131。"},
       .worked_out = {"On MiniLM the share beyond two deviations rises with position, from 0.064 to 0.118; rows 0, 127 "
                      "and 511 stand out, with norms 2.36, 0.69 and 0.97 against 0.43–0.48.",
                      "在 MiniLM 上，超出两个标准差的比例随位置上升，从 0.064 到 0.118；第 0、127、511 行突出，模长为 "
                      "2.36、0.69、0.97，其余为 0.43–0.48。"},
       .evidence = Evidence::checkpoint},
      {.id = "E3",
       .document = document,
       .quote = {"于是我就想先搞个主成分提取，解释度高于0.01的标出来了。", 12},
       .brief = {"about 18 components explain over 1 % each", "约 18 个主成分各超过 1%"},
       .claim = {"About 18 of the position table's principal components, half to twice as many, explain more than 1 % "
                 "of the "
                 "variance each, and the first 18 most of it.",
                 "位置表的主成分中，约有 18 个（一半至两倍）各自解释 1% 以上的方差，前 18 个合占大部分。"},
       .test = {"The same spectrum: how many components exceed 1 %, the sum of the first 18, and the effective rank, "
                "beside white noise, a random walk and a smooth Gaussian process.",
                "计算同样的谱：超过 1% 的主成分个数、前 18 个之和、有效秩；对照为白噪声、随机游走与平滑的高斯过程。"},
       .published = {"The document's own figure: 0.098, 0.0772, 0.0753, 0.0693, 0.0595 and on to 0.0114 for the 18th, "
                     "0.0072 for the 19th.",
                     "该文自己的图：0.098、0.0772、0.0753、0.0693、0.0595，直到第 18 个 0.0114，第 19 个 0.0072。"},
       .worked_out =
           {"The 18 sum to 0.823; a smooth Gaussian process (length 12) has 24 components above 1 %, the first 6.8 %.",
            "这 18 个之和为 0.823；平滑的高斯过程（长度 12）有 24 个主成分超过 1%，第一个为 6.8%。"},
       .evidence = Evidence::checkpoint},
      {.id = "E4",
       .document = document,
       .quote = {"以为会出现啥螺纹曲线的，结果这个基本没啥用，确实可能2个维度太少了，不足以反映相对位置关系。", 14},
       .brief = {"the first two components show no spiral", "前两个主成分没有螺纹曲线"},
       .claim = {"The scatter of the first two components shows no spiral and is of little use: two dimensions may be "
                 "too few to reflect relative position.",
                 "前两个主成分的散点图没有出现螺纹曲线，基本没用：两个维度可能太少，不足以反映相对位置。"},
       .test = {"How well a spiral, at any pace, fits the first two components, and a helix the first three; beside "
                "random walks, and planted spirals and helices; how much of what n − m tells two "
                "components show.",
                "螺旋（步速任意）对前两个主成分、螺旋线对前三个主成分拟合得多好；对照为随机游走与构造的螺旋和"
                "螺旋线；并看 n − m 所决定的，两个主成分显示多少。"},
       .published =
           {"LessWrong, “GPT-2's positional embedding matrix is a helix”, abstract: in GPT-2 it is one, in 3 "
            "dimensions.",
            "LessWrong，“GPT-2's positional embedding matrix is a helix”，摘要：GPT-2 的位置表在 3 维中是一条螺旋线。"},
       .worked_out = {"The document's first two components hold 17.5 %.", "该文的前两个主成分合计 17.5%。"},
       .evidence = Evidence::checkpoint},
      {.id = "E5",
       .document = document,
       .quote = {"前七个主成分很接近，靠后的一些也很接近，但是两者在第8、9/9、10两个差别还是蛮明显的", 16},
       .brief = {"leaving [CLS] out changes components 8 to 10", "去掉 [CLS] 会改变第 8 至 10 个主成分"},
       .claim =
           {"With and without the [CLS] row the first seven components and the late ones are close, but the 8th "
            "and 9th, or 9th and 10th, differ; the matrix's rank may explain it.",
            "带与不带 [CLS] 一行相比，前七个主成分和靠后的一些很接近，但第 8、9（或 9、10）个差别明显；也许可从矩阵"
            "的秩来解释。"},
       .test = {"The leverage of row 0 on each component, principal angles between the two sets of components, the "
                "gaps between eigenvalues, and a bootstrap over blocks of rows.",
                "计算第 0 行对每个主成分的杠杆值、两组主成分之间的主角、特征值间隙，并对行做分块自助法。"},
       .published = {"The document's own figure: components 8 to 10 explain 0.0442, 0.0431 and 0.0420.",
                     "该文自己的图：第 8 至 10 个主成分解释 0.0442、0.0431、0.0420。"},
       .worked_out = {"On MiniLM row 0 has leverage 0.90 on component 11, which vanishes without it, and components 9 "
                      "and 10 (0.0707 and 0.0704) swap.",
                      "在 MiniLM 上，第 0 行对第 11 个主成分的杠杆值为 0.90，去掉该行后此主成分消失；第 9 与第 10 "
                      "个（0.0707 与 0.0704）互换。"},
       .evidence = Evidence::checkpoint},
      {.id = "E6",
       .document = document,
       .quote = {"从这些图来看，倒还是很接近三角函数的，尤其是靠前的POS", 21},
       .brief = {"components over position look like sinusoids", "主成分随位置像正弦曲线"},
       .claim =
           {"Plotted against position, the components look much like sine curves, above all at the early positions.",
            "主成分随位置变化的图像很接近三角函数，尤其是靠前的位置。"},
       .test = {"For components 1 to 9, sinusoids a few cycles at a time: the share of the variance that they explain, "
                "beside Gaussian tables with the same lag kernel, copies with joint random phases, a sinusoid and "
                "white noise.",
                "对第 1 至 9 "
                "个主成分，每次取几个周期拟合正弦：看所解释的方差份额；对照为滞后核相同的高斯表、同步随机相位的副本、正"
                "弦表与白噪声。"},
       .published = {"Shinn, PNAS 2023, abstract: “phantom oscillations”.",
                     "Shinn，PNAS 2023，摘要：“phantom oscillations”（虚幻的振荡）。"},
       .worked_out =
           {"Components 1–9 of a plain random walk fit one sinusoid with R² 0.94–1.00, those of white noise with 0.02.",
            "普通随机游走的第 1–9 个主成分以 R² 0.94–1.00 吻合一条正弦，白噪声为 0.02。"},
       .evidence = Evidence::checkpoint},
      {.id = "E7",
       .document = document,
       .quote = {"这说明随机初始化可能确实学到了相对位置信息。", 21},
       .brief = {"sinusoidal components show that relative position was learned", "像正弦说明学到了相对位置"},
       .claim = {"That all the components look like sine curves, those of the heat map included, shows that the "
                 "randomly initialised table probably did learn relative position.",
                 "各主成分（包括热图中的）都接近三角函数，说明随机初始化的位置表可能确实学到了相对位置信息。"},
       .test = {"For components 10 to 18 the same as in E6, beside the same tables; trained controls would add tables "
                "from training without any order signal.",
                "对第 10 至 18 个主成分做与 E6 "
                "相同的测量，对照表相同；训练对照将再加上在没有任何顺序信号的训练中得到的表。"},
       .published = {"Shinn, PNAS 2023, abstract: “phantom oscillations”.",
                     "Shinn，PNAS 2023，摘要：“phantom oscillations”（虚幻的振荡）。"},
       .worked_out = {"Components 1–4 of a plain random walk fit one sinusoid with R² 0.98–1.00.",
                      "普通随机游走的第 1–4 个主成分以 R² 0.98–1.00 吻合一条正弦。"},
       .evidence = Evidence::checkpoint},
      {.id = "E8",
       .document = document,
       .quote = {"总之尝试的模型结构，loss都不下降。", 23},
       .brief = {"no network learns b − a from two rows", "网络无法由两行学到 b − a"},
       .claim = {"Neural networks that are to give b − a from the embeddings of positions a and b, simple or complex, "
                 "do not learn: the loss does not fall.",
                 "用神经网络从位置 a 与 b 的嵌入预测 b − a，无论简单还是复杂，损失都不下降。"},
       .test = {"An antisymmetric network on normalised targets: whether its loss falls and how far, beside the same "
                "network on targets as they are.",
                "用反对称网络拟合归一化后的目标：看损失是否下降、降到多少，并与未归一化目标上的同一网络比较。"},
       .published = {},
       .worked_out = {"Unnormalised, the targets have a standard deviation of 208.6.",
                      "未归一化时，目标的标准差为 208.6。"},
       .evidence = Evidence::checkpoint},
      {.id = "E9",
       .document = document,
       .quote = {"最开始用线性回归，测试集均方误差很高，在9000+，后来用GBDT，min_leaf_nodes = 15，测试集均方误差能到"
                 "1800，均绝对误差30",
                 25},
       .brief = {"linear regression cannot tell distance, boosted trees can", "线性回归测不出距离，提升树可以"},
       .claim =
           {"From 18 components of two rows, over 261,121 pairs split 60 to 40, linear regression predicts their "
            "distance with mean squared error above 9000, GBDT with 1800; raw 768 dimensions do worse.",
            "用两行的 18 个主成分、261121 个有向对按六四分，预测两者的距离：线性回归的均方误差在 9000 以上，GBDT 为"
            " 1800；直接用 768 维更差。"},
       .test = {"Linear, ridge and boosted-tree regression with pairs, with positions and with blocks of positions "
                "held out, beside the labels' variance, white noise, a random walk and a Gaussian process.",
                "线性、岭与提升树回归，分别留出位置对、位置、位置块；与标签方差、白噪声、随机游走、高斯过程并列。"},
       .published = {"Wang & Chen 2020 (2010.04903), linear regression of the position, mean absolute error: BERT "
                     "34.14, RoBERTa 6.06, GPT-2 1.03, sinusoid 0.00.",
                     "Wang & Chen 2020（2010.04903），对位置做线性回归，平均绝对误差：BERT 34.14，RoBERTa 6.06，GPT-2 "
                     "1.03，正弦 0.00。"},
       .worked_out =
           {"An untrained random walk has 0.68 there; the document's labels have variance 43,520, so that 9000 is R² "
            "0.79 and 1800 is 0.96; on a Gaussian table plain regression has test error 1e-24 when pairs are held out.",
            "未经训练的随机游走在同一测试中为 0.68；该文标签的方差为 43,520，故 9000 相当于 R² 0.79，1800 相当于 "
            "0.96；只留出位置对时，在高斯随机表上普通线性回归的测试误差为 1e-24。"},
       .evidence = Evidence::checkpoint},
      {.id = "E10",
       .document = document,
       .quote = {"把POS限定在128以内，避免在训练中加到[PAD]上的PE产生干扰，可能回归结果会好一些。", 27},
       .brief = {"below position 128 the regression does better", "位置小于 128 时回归更好"},
       .claim = {"With positions limited to below 128, where [PAD] does not disturb, the regression may do better.",
                 "把位置限定在 128 以内，避免 [PAD] 的干扰，回归结果可能会好一些。"},
       .test = {"The tests of E9 on positions 1 to 127 and on 128 to 511, with subsamples of equal size.",
                "在位置 1 至 127 与 128 至 511 上分别做 E9 的检验，子样本大小相等。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "E11",
       .document = document,
       .quote = {"到底是为什么能学到相对位置信息呢", 28},
       .brief = {"why is relative position learned at all? (a question)", "为何能学到相对位置？（只提问）"},
       .claim = {"The document's last question: why the table can learn relative position at all.",
                 "该文最后的问题：位置表到底为什么能学到相对位置信息。"},
       .test = {"In small models trained from scratch on tasks with only relative, only absolute, or no order signal: "
                "the table's rotation skill, and the Toeplitz share of its attention logits, as training goes on.",
                "在只有相对、只有绝对、没有顺序信号的任务上从头训练小模型：随训练进程给出位置表在旋转预测上的技巧评分，"
                "以及其注意力 logits 的 Toeplitz 占比。"},
       .published = {},
       .evidence = Evidence::trained_controls},
  };
}

}  // namespace summand::lab
