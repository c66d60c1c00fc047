# Builds for 64-bit ARM on a machine of another kind; what is built runs there under qemu: docs/decisions/arm.md.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Debian's cross compiler does not tell, and only there do fmt, zlib and zstd describe themselves.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Headers without a library are the same for every processor and come from this machine. Libraries come from
# CMAKE_FIND_ROOT_PATH alone, where scripts/install_arm_libraries puts them.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# The C library that the programs were linked with, seen from the compiler: PREFIX/lib/libc.so.6.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc.so.6
  OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
cmake_path(SET libc NORMALIZE ${libc})
cmake_path(GET libc PARENT_PATH prefix)
cmake_path(GET prefix PARENT_PATH prefix)
# Which processor it is, QEMU_CPU says.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${prefix})
