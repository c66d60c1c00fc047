"""What is compressed for the tests of inputs."""

import ctypes


def zstd(content):
    """One frame, as libzstd makes it: Python 3.11 has none of its own."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(library.ZSTD_compressBound(len(content)))
    size = library.ZSTD_compress(room, len(room), content, len(content), 3)
    return room.raw[:size]
