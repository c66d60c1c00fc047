# Each file of kernels is compiled with the flags of what it needs, and runs where the processor has that.
set(engine_kernel_sets generic avx2 avx_vnni avx512 avx512_vnni avx512_bf16 avx512_fp16 amx)
set(engine_single_precision_sets generic avx2 avx512)
set(engine_architecture_sources kernels/x86/features.cpp kernels/x86/list.cpp)

function(engine_kernels flags)
  foreach(name IN LISTS ARGN)
    set_source_files_properties(kernels/x86/${name}.cpp PROPERTIES COMPILE_OPTIONS "${flags}")
    list(APPEND engine_architecture_sources kernels/x86/${name}.cpp)
  endforeach()
  set(engine_architecture_sources ${engine_architecture_sources} PARENT_SCOPE)
endfunction()

set(avx2 -mavx2 -mfma)
set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 takes the undefined values inside its own AVX-512 headers for ours (bug 105593).
  list(APPEND avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
engine_kernels("${avx2}" avx2 avx2_bf16_by_fma avx2_int8 avx_vnni dots_avx2)
engine_kernels("${avx512}" avx512 avx512_bf16_by_fma dots_avx512)
engine_kernels("${avx512};-mavx512vnni" avx512_vnni)
engine_kernels("${avx512};-mavx512fp16" avx512_fp16)
engine_kernels("${avx512};-mavx512bf16" avx512_bf16 amx)
