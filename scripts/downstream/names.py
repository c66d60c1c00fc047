"""What reports and documents call arms, measures and ways, in English and Chinese."""

MASK_RATES = (5, 10, 15, 20, 30, 40)
ARMS = {
    "en": {"sum": "the sum", "redrawn": "redrawn sum", "no_segment": "no segment", "no_position": "no position", "neither": "neither",
           "concatenate": "concatenate, project", "gate": "vector gate", "untied": "untied decoder", "disjoint": "disjoint", "sines": "sines",
           "rotary": "rotary", "t5": "T5 bias", "windows": "one in each window of 7", "mask_40_predict_15": "40 % corrupted, 15 % predicted",
           "mask_15_predict_30": "15 % corrupted, 30 % predicted, twice the steps",
           "head_tail": "head and tail", "mean": "mean of windows", "max": "maximum of windows", "transformer": "transformer over windows", "hierarchical": "1,024 positions",
           **{f"mask_{rate}": f"{rate} %" for rate in MASK_RATES}, **{f"mask_{rate}_equal": f"{rate} %, equal predictions" for rate in MASK_RATES}},
    "zh": {"sum": "相加", "redrawn": "重抽初值的相加", "no_segment": "无句段", "no_position": "无位置", "neither": "两者皆无", "concatenate": "拼接后投影",
           "gate": "向量门控", "untied": "解码器不共享", "disjoint": "维度分离", "sines": "正弦", "rotary": "旋转", "t5": "T5 偏置",
           "windows": "每 7 个词元的窗口掩一个", "mask_40_predict_15": "破坏 40%，预测 15%", "mask_15_predict_30": "破坏 15%，预测 30%，步数加倍",
           **{f"mask_{rate}": f"{rate}%" for rate in MASK_RATES}, **{f"mask_{rate}_equal": f"{rate}%，预测总数相等" for rate in MASK_RATES}},
}  # fmt: skip
MEASURES = {
    "en": {"pos": "part of speech"},
    "zh": {"masked loss": "掩码损失", "next sentence": "下一句", "polarity": "极性", "entailment": "蕴含", "pos": "词性", "reviews": "影评"},
}
WAYS = {"en": {}, "zh": {"head": "开头 256 个词元", "tail": "末尾 256 个", "head_tail": "开头与末尾共 256 个", "mean": "256 的窗口，logits 取均值", "max": "256 的窗口，logits 取最大值",
                         "transformer": "256 的窗口，其上一个 Transformer", "hierarchical": "1,024 个位置，层次分解"}}  # fmt: skip
TREATMENTS = {"en": {"head": "the first 512 tokens", "tail": "the last 512", "head_tail": "the first 128 and the last 384", "windows": "windows of 512 that overlap by half, mean",
                     "one_pass": "all at once, hierarchical positions"},
              "zh": {"head": "开头 512 个词元", "tail": "末尾 512 个", "head_tail": "开头 128 个与末尾 384 个", "windows": "重叠一半的 512 窗口，取均值", "one_pass": "一次读完，层次分解的位置"}}  # fmt: skip


def arm(name, language="en"):
    return ARMS[language].get(name, name)


def measure(name, language="en"):
    """Of a learning curve with its number of labelled rows: `pos of 50`."""
    task, of, rows = name.partition(" of ")
    return MEASURES[language].get(task, task) + (f", {rows} rows" if of else "")


def way(plan, name, language="en"):
    return WAYS[language].get(name, plan["long_texts"]["names"][name])
