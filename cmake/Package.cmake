# What a program outside gets: one library, the public headers, the two programs, and a description of the library for
# CMake and pkg-config. docs/decisions/package.md says why it is one library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(summand_library)
foreach(room base text model io reference engine api)
  target_sources(summand_library PRIVATE $<TARGET_OBJECTS:summand_${room}>)
endforeach()
add_library(summand::summand ALIAS summand_library)
target_sources(summand_library PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SUMMAND_PUBLIC_HEADERS})
target_compile_features(summand_library PUBLIC cxx_std_20)
target_link_libraries(summand_library PRIVATE fmt::fmt Threads::Threads)
set_target_properties(summand_library PROPERTIES
  OUTPUT_NAME summand EXPORT_NAME summand LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(SUMMAND_SANITIZE)
  target_link_options(summand_library PUBLIC -fsanitize=${SUMMAND_SANITIZE})
endif()
if(BUILD_SHARED_LIBS)
  set(exported ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.txt)
  target_link_options(summand_library PRIVATE -Wl,--version-script=${exported} -Wl,--no-undefined)
  set_target_properties(summand_library PROPERTIES LINK_DEPENDS ${exported})
endif()

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
install(TARGETS summand summand-lab RUNTIME)
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
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
