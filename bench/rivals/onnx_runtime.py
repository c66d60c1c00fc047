"""ONNX Runtime: the plain graph through its transformer optimiser; int8 by its dynamic quantisation of that."""

import onnxruntime

from rivals.plain_bert import INPUTS, export_onnx


def version():
    return onnxruntime.__version__


def variants(place):
    """One batch at a time on all threads, or as many at once on one thread each."""
    return [f"1 x {place.threads} threads", f"{place.threads} x 1 thread"]


def load(place, variant):
    return Runner(place, variant)


def optimised_graph(place):
    from onnxruntime.transformers import optimizer

    path = place.prepared / "optimised.onnx"
    if not path.exists():
        heads, width = place.config["num_attention_heads"], place.config["hidden_size"]
        source = str(export_onnx(place))
        model = optimizer.optimize_model(source, model_type="bert", num_heads=heads, hidden_size=width, use_gpu=False)
        fused = model.get_fused_operator_statistics()
        layers = place.config["num_hidden_layers"]
        assert fused["Attention"] == layers and fused["BiasGelu"] == layers, fused
        model.save_model_to_file(str(path))
    return path


def quantized_graph(place):
    """int8 weights per output channel: as fast as per tensor, and nearer to fp32."""
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic

    path = place.prepared / "int8.onnx"
    if not path.exists():
        # Shapes cannot be inferred through the fused operations: say what their outputs are.
        options = {"DefaultTensorType": TensorProto.FLOAT}
        source = str(optimised_graph(place))
        quantize_dynamic(source, path, per_channel=True, weight_type=QuantType.QInt8, extra_options=options)
    return path


class Runner:
    def __init__(self, place, variant):
        self.streams = place.threads if variant.endswith("x 1 thread") else 1
        graph = quantized_graph(place) if place.precision == "int8" else optimised_graph(place)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = place.threads // self.streams
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Threads spin while a call runs, as is the default, and not between calls: others take their turn then.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])

    def vectors(self, batch):
        return self.session.run(None, dict(zip(INPUTS, (batch.ids, batch.mask, batch.segments))))[0]
