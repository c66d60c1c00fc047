# Everything summand stands on.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED CONFIG)

# Not by its own CMake package: Debian's insists on the program xgboost, which is another package and not needed.
find_path(SUMMAND_XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
find_library(SUMMAND_XGBOOST_LIBRARY xgboost REQUIRED)
add_library(summand_xgboost INTERFACE)
target_include_directories(summand_xgboost SYSTEM INTERFACE ${SUMMAND_XGBOOST_INCLUDE})
target_link_libraries(summand_xgboost INTERFACE ${SUMMAND_XGBOOST_LIBRARY})

# Today oneDNN only stands beside the engine's own products in bench/product_speed.cpp: docs/decisions/own-products.md.
find_path(SUMMAND_ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp HINTS ${CMAKE_SOURCE_DIR}/.venv/include)
find_library(SUMMAND_ONEDNN_LIBRARY NAMES dnnl libdnnl.so.3 HINTS ${CMAKE_SOURCE_DIR}/.venv/lib)
if(SUMMAND_ONEDNN_INCLUDE AND SUMMAND_ONEDNN_LIBRARY)
  add_library(summand_onednn INTERFACE)
  target_include_directories(summand_onednn SYSTEM INTERFACE ${SUMMAND_ONEDNN_INCLUDE})
  target_link_libraries(summand_onednn INTERFACE ${SUMMAND_ONEDNN_LIBRARY})
endif()
