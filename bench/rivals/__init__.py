"""The rivals. Each runs in a process of its own, `python -m rivals.worker FAMILY …`, and answers rounds."""
