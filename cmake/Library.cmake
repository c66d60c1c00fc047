# The rooms as one library, summand::summand: docs/decisions/package.md says why it is one. It is called
# summand_library in the build, as the program has the name.
add_library(summand_library)
foreach(room base text model io reference engine calibration api)
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
if(BUILD_SHARED_LIBS AND NOT APPLE)
  set(exported ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.txt)
  target_link_options(summand_library PRIVATE -Wl,--version-script=${exported} -Wl,--no-undefined)
  set_target_properties(summand_library PROPERTIES LINK_DEPENDS ${exported})
endif()
