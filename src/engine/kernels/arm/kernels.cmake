# As in x86/kernels.cmake. Every aarch64 processor has NEON.
set(engine_kernel_sets generic neon neon_dot neon_matrix)
set(engine_single_precision_sets generic neon)
set(engine_architecture_sources kernels/arm/list.cpp kernels/arm/neon.cpp kernels/arm/neon_dot.cpp
  kernels/arm/neon_fp16.cpp kernels/arm/neon_matrix.cpp)
if(APPLE)
  list(APPEND engine_architecture_sources kernels/arm/features_macos.cpp)
else()
  list(APPEND engine_architecture_sources kernels/arm/features_linux.cpp)
endif()
set_source_files_properties(kernels/arm/neon_dot.cpp PROPERTIES COMPILE_OPTIONS "-march=armv8.2-a+dotprod")
set_source_files_properties(kernels/arm/neon_fp16.cpp PROPERTIES COMPILE_OPTIONS "-march=armv8.2-a+fp16")
set_source_files_properties(kernels/arm/neon_matrix.cpp PROPERTIES COMPILE_OPTIONS "-march=armv8.2-a+bf16+i8mm")
