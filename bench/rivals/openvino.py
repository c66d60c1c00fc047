"""OpenVINO: fp32 and bf16 by its precision hint; int8 by NNCF, calibrated on some texts."""

import json
import pathlib

import numpy as np
import openvino
from openvino import properties
from openvino.properties import hint

from rivals.batches import fast_tokenizer, padded
from rivals.plain_bert import INPUTS, export_onnx, load_plain_bert

CALIBRATION_TEXTS = 300


def version():
    return openvino.__version__.split("-")[0]


def variants(place):
    """Graph, and how threads are used: all on one batch, or one stream for each."""
    graphs = ["ONNX", "fused attention"]
    if place.precision == "int8":
        graphs = ["NNCF", "NNCF, rest bf16"]
    return [f"{graph}, {use}" for graph in graphs for use in ("latency", "throughput")]


def load(place, variant):
    return Runner(place, variant)


def fused_graph(place):
    """Translated from PyTorch, with attention as one operation."""
    path = place.prepared / "fused.xml"
    if not path.exists():
        import torch

        example = {name: torch.ones(2, 16, dtype=torch.int64) for name in INPUTS}
        shapes = {name: ([-1, -1], openvino.Type.i64) for name in INPUTS}
        model = openvino.convert_model(load_plain_bert(place, fused=True), example_input=example, input=shapes)
        openvino.save_model(model, path, compress_to_fp16=False)
    return path


def calibration(place):
    """Inputs of single texts, from the file that the driver left beside the prepared models."""
    tokenizer = fast_tokenizer(place.model, 256)
    lines = (place.prepared.parent / "calibration.jsonl").read_text().splitlines()
    for line in lines[:CALIBRATION_TEXTS]:
        batch = padded([tokenizer.encode(json.loads(line)["text"]).ids])
        yield dict(zip(INPUTS, (batch.ids, batch.mask, batch.segments)))


def quantized_graph(place):
    path = place.prepared / "nncf.xml"
    if not path.exists():
        import nncf

        source, data = openvino.Core().read_model(export_onnx(place)), nncf.Dataset(list(calibration(place)))
        model = nncf.quantize(source, data, model_type=nncf.ModelType.TRANSFORMER, subset_size=CALIBRATION_TEXTS)
        openvino.save_model(model, path, compress_to_fp16=False)
    return path


def graph_of(place, variant):
    if variant.startswith("NNCF"):
        return quantized_graph(place)
    return fused_graph(place) if variant.startswith("fused") else export_onnx(place)


class Runner:
    def __init__(self, place, variant):
        throughput = variant.endswith("throughput")
        self.streams = place.threads if throughput else 1
        bf16 = place.precision == "bf16" or "bf16" in variant
        options = {
            hint.performance_mode: hint.PerformanceMode.THROUGHPUT if throughput else hint.PerformanceMode.LATENCY,
            hint.inference_precision: openvino.Type.bf16 if bf16 else openvino.Type.f32,
            properties.inference_num_threads: place.threads,
            properties.num_streams: self.streams,
        }
        model = openvino.Core().compile_model(str(graph_of(place, variant)), "CPU", options)
        # More calls at once than there are requests cannot come: the driver's pool has as many threads.
        self.free = [model.create_infer_request() for _ in range(self.streams)]

    def vectors(self, batch):
        request = self.free.pop()
        request.infer(dict(zip(INPUTS, (batch.ids, batch.mask, batch.segments))))
        vectors = np.array(request.get_output_tensor(0).data, np.float32)
        self.free.append(request)
        return vectors
