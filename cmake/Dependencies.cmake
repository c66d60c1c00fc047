# Everything summand stands on. A part that is not built asks for nothing, and a project around this one may have made
# fmt::fmt or nlohmann_json::nlohmann_json already.
find_package(Threads REQUIRED)

# A wheel runs where none of these are installed: what can be linked in is, and fmt is compiled in.
if(SUMMAND_FOR_WHEEL)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  find_path(SUMMAND_FMT_INCLUDE fmt/format.h REQUIRED)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt SYSTEM INTERFACE ${SUMMAND_FMT_INCLUDE})
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  add_compile_options(-ffunction-sections -fdata-sections -fvisibility=hidden)
  # A program shows no symbol, and --allow-shlib-undefined keeps the linker from looking into the shared libstdc++ that
  # XGBoost asks for: it would link in all that has a namesake there, and with it glibc 2.36.
  # The trainer shares libtorch's libstdc++.
  add_link_options(-s -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--allow-shlib-undefined
    $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:NAME>,summand-train>>:-static-libstdc++>
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/no_symbols.txt>)
endif()

foreach(library fmt nlohmann_json)
  if(NOT TARGET ${library}::${library})
    find_package(${library} REQUIRED)
  endif()
endforeach()

# Its header alone, which is compiled in.
find_path(SUMMAND_XXHASH_INCLUDE xxhash.h REQUIRED)

if(SUMMAND_BUILD_CLI OR SUMMAND_BUILD_LAB)
  if(NOT TARGET CLI11::CLI11)
    find_package(CLI11 REQUIRED)
  endif()
  find_package(ZLIB REQUIRED)
  find_package(zstd REQUIRED CONFIG)
  add_library(summand_zstd INTERFACE)
  target_link_libraries(summand_zstd INTERFACE zstd::libzstd_$<IF:$<BOOL:${SUMMAND_FOR_WHEEL}>,static,shared>)
endif()

if(SUMMAND_BUILD_LAB)
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  endif()
  find_package(PNG REQUIRED)
  # Headers alone. Of 1.75 and later: the law of Kolmogorov and Smirnov.
  find_path(SUMMAND_BOOST_INCLUDE boost/math/distributions/kolmogorov_smirnov.hpp REQUIRED)
  find_path(SUMMAND_LBFGSPP_INCLUDE LBFGSpp/LineSearchBracketing.h REQUIRED)
  # Not by its own CMake package: Debian's insists on the program xgboost, which is another package and not needed.
  find_path(SUMMAND_XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
  find_library(SUMMAND_XGBOOST_LIBRARY xgboost REQUIRED)
  add_library(summand_xgboost INTERFACE)
  target_include_directories(summand_xgboost SYSTEM INTERFACE ${SUMMAND_XGBOOST_INCLUDE})
  target_link_libraries(summand_xgboost INTERFACE ${SUMMAND_XGBOOST_LIBRARY})
endif()

if(SUMMAND_BUILD_SERVE)
  find_package(OpenSSL REQUIRED)
  # Headers alone.
  find_path(SUMMAND_BEAST_INCLUDE boost/beast/http/basic_parser.hpp REQUIRED)
endif()

# oneDNN only stands beside the engine's own products in bench/: docs/decisions/own-products.md. Where it is absent, the
# two programs that need it are left out; `make bench` puts it into .venv-bench.
if(SUMMAND_BUILD_BENCH)
  find_path(SUMMAND_ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp HINTS ${PROJECT_SOURCE_DIR}/.venv-bench/include)
  find_library(SUMMAND_ONEDNN_LIBRARY NAMES dnnl libdnnl.so.3 HINTS ${PROJECT_SOURCE_DIR}/.venv-bench/lib)
  if(SUMMAND_ONEDNN_INCLUDE AND SUMMAND_ONEDNN_LIBRARY)
    add_library(summand_onednn INTERFACE)
    target_include_directories(summand_onednn SYSTEM INTERFACE ${SUMMAND_ONEDNN_INCLUDE})
    target_link_libraries(summand_onednn INTERFACE ${SUMMAND_ONEDNN_LIBRARY})
  endif()
endif()

# libtorch, as the package torch of PyPI brings it; scripts/install_python_packages puts it into .venv, and pip where it builds
# a wheel: pyproject.toml.
if(PROJECT_IS_TOP_LEVEL AND NOT SUMMAND_SANITIZE AND NOT SUMMAND_TRAIN STREQUAL OFF)
  file(GLOB summand_torch_hints ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
  if(SUMMAND_FOR_WHEEL)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(*u.find_spec('torch').submodule_search_locations)"
      OUTPUT_VARIABLE summand_torch_hints OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)  # it warns of a profiler that it does not bring
  find_package(Torch 2.13 QUIET CONFIG HINTS ${summand_torch_hints})
  unset(CMAKE_MESSAGE_LOG_LEVEL)
  if(Torch_FOUND)
    # Not by its own targets: it brings headers of fmt, which must not be found before ours.
    add_library(summand_torch INTERFACE)
    foreach(directory IN LISTS TORCH_INCLUDE_DIRS)
      target_compile_options(summand_torch INTERFACE "SHELL:-idirafter ${directory}")
    endforeach()
    foreach(library torch torch_cpu torch_cuda c10 c10_cuda)
      if(EXISTS ${TORCH_INSTALL_PREFIX}/lib/lib${library}.so)
        target_link_libraries(summand_torch INTERFACE ${TORCH_INSTALL_PREFIX}/lib/lib${library}.so)
      endif()
    endforeach()
    # Of the baselines beside a fine-tuned model.
    if(NOT TARGET Eigen3::Eigen)
      find_package(Eigen3 3.4 REQUIRED NO_MODULE)
    endif()
    find_path(SUMMAND_LBFGSPP_INCLUDE LBFGSpp/LineSearchBracketing.h REQUIRED)
    # Whether it brings BLAS's routines: the package of PyPI does.
    include(CheckCXXSourceCompiles)
    get_target_property(CMAKE_REQUIRED_LIBRARIES summand_torch INTERFACE_LINK_LIBRARIES)
    check_cxx_source_compiles("extern \"C\" { void sgemm_(); void dgemm_(); } int main() { sgemm_(); dgemm_(); }"
      SUMMAND_TORCH_BLAS)
    unset(CMAKE_REQUIRED_LIBRARIES)
  elseif(SUMMAND_TRAIN STREQUAL ON)
    message(FATAL_ERROR "SUMMAND_TRAIN: expected libtorch 2.13, found none: pip install torch==2.13.0, and "
      "-DTorch_DIR=<site-packages>/torch/share/cmake/Torch where it is not in .venv")
  else()
    message(STATUS "summand: no libtorch 2.13 (pip install torch==2.13.0 into .venv): train/ is left out")
  endif()
endif()

# nanobind, of PyPI; scripts/install_python_packages puts it into .venv. Python's headers are Debian's python3-dev.
if(SUMMAND_BUILD_PYTHON STREQUAL AUTO AND PROJECT_IS_TOP_LEVEL AND NOT SUMMAND_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  file(GLOB nanobind_hints ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nanobind/cmake)
  find_path(nanobind_DIR nanobind-config.cmake HINTS ${nanobind_hints})
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  if(nanobind_DIR)
    find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
    find_package(nanobind QUIET CONFIG)
  endif()
  if(NOT nanobind_FOUND)
    message(STATUS "summand: no nanobind in .venv, or no headers of Python: python/ is left out")
  endif()
elseif(SUMMAND_BUILD_PYTHON AND NOT SUMMAND_BUILD_PYTHON STREQUAL AUTO)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(nanobind REQUIRED CONFIG)
endif()
