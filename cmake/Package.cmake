# What a program outside gets: the library, the public headers, the programs, and a description of the library for
# CMake and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
foreach(program summand summand-lab summand-serve)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME)
  endif()
endforeach()
if(TARGET summand-train)
  # libtorch stays where pip put it: docs/decisions/package.md.
  set(rpath ${TORCH_INSTALL_PREFIX}/lib)
  if(SUMMAND_FOR_WHEEL)
    set(rpath $ORIGIN/../../torch/lib)
  endif()
  set_target_properties(summand-train PROPERTIES INSTALL_RPATH ${rpath})
  install(TARGETS summand-train RUNTIME)
endif()
install(TARGETS summand_library EXPORT summand FILE_SET HEADERS)
install(EXPORT summand NAMESPACE summand:: FILE summandTargets.cmake DESTINATION ${package_directory})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/summandConfig.cmake.in summandConfig.cmake
  INSTALL_DESTINATION ${package_directory})
# While the major number is 0, the minor number changes where programs have to: docs/versioning.md.
write_basic_package_version_file(summandConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/summandConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/summandConfigVersion.cmake
  DESTINATION ${package_directory})

file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
# A static library brings what it links; a shared one has it already.
set(pkgconfig_visibility $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,.private,>)
configure_file(${CMAKE_CURRENT_LIST_DIR}/summand.pc.in summand.pc.configured @ONLY)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/summand.pc INPUT ${CMAKE_CURRENT_BINARY_DIR}/summand.pc.configured)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/summand.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Where the programs find them by name: src/io/shipped_models.hpp.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/summand/models
  PATTERN "*.py" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
