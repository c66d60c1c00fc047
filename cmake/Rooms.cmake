# The house: which room may use which. docs/architecture.md draws it; tests/house checks the #include lines against it.
# The room "summand" is include/summand: the headers that are installed.
set(SUMMAND_ROOM_summand "")
set(SUMMAND_ROOM_base summand)
set(SUMMAND_ROOM_text summand base)
set(SUMMAND_ROOM_model summand base)
set(SUMMAND_ROOM_io base model)
set(SUMMAND_ROOM_reference base model)
set(SUMMAND_ROOM_engine base model)
set(SUMMAND_ROOM_calibration base model engine)
set(SUMMAND_ROOM_api summand base text model io reference engine calibration)
set(SUMMAND_ROOM_inputs summand base text)
set(SUMMAND_ROOM_terminal summand base)
set(SUMMAND_ROOM_cli summand text model api inputs terminal)
set(SUMMAND_ROOM_python summand model api)
set(SUMMAND_ROOM_train_data summand base text model io inputs)
set(SUMMAND_ROOM_train_tasks summand base)
set(SUMMAND_ROOM_train summand base text model io inputs terminal train_data train_tasks lab_statistics)
# Of the laboratory's, each in lab/<room>, those above may be used by those below; "lab" is its program.
set(SUMMAND_ROOM_lab_statistics summand base)
set(SUMMAND_ROOM_lab_core summand base lab_statistics)
set(SUMMAND_ROOM_lab_subject summand base text model io api inputs lab_statistics lab_core)
set(SUMMAND_ROOM_lab_nulls summand base model lab_statistics lab_core)
set(SUMMAND_ROOM_lab_probing
  summand base text model reference engine api lab_statistics lab_core lab_subject lab_nulls)
set(SUMMAND_ROOM_lab_experiments
  summand base text model reference engine api lab_statistics lab_core lab_subject lab_nulls lab_probing)
set(SUMMAND_ROOM_lab_own_experiment
  summand base model engine api lab_statistics lab_core lab_subject lab_nulls lab_probing lab_experiments)
set(SUMMAND_ROOM_lab_plant summand base model io api lab_statistics lab_core lab_subject lab_nulls)
set(SUMMAND_ROOM_lab_explorer summand base text model engine api lab_statistics lab_core lab_subject lab_probing)
set(SUMMAND_ROOM_lab_ledger lab_core)
set(SUMMAND_ROOM_lab_results base lab_statistics lab_core lab_ledger)
set(SUMMAND_ROOM_lab_calibration base lab_statistics lab_core lab_results)
set(SUMMAND_ROOM_lab_report summand base io api lab_core lab_ledger lab_explorer lab_results lab_calibration)
set(SUMMAND_ROOM_lab_run
  summand base text io lab_statistics lab_core lab_subject lab_ledger lab_experiments lab_own_experiment lab_explorer
  lab_results lab_calibration lab_report)
set(SUMMAND_ROOM_lab_calibrate
  summand base model io lab_statistics lab_core lab_subject lab_plant lab_experiments lab_results lab_calibration lab_run)
set(SUMMAND_ROOM_lab
  summand base api terminal lab_core lab_subject lab_ledger lab_own_experiment lab_explorer lab_results lab_calibration lab_report
  lab_run lab_plant lab_calibrate)
# Of the server's, each in serve/<room>; "serve" is its program.
set(SUMMAND_ROOM_serve_http summand base)
set(SUMMAND_ROOM_serve_work summand base text model api)
set(SUMMAND_ROOM_serve_service summand base api serve_http serve_work serve_live)
set(SUMMAND_ROOM_serve_live
  summand base text model io engine api lab_statistics lab_core lab_subject lab_probing lab_explorer)
set(SUMMAND_ROOM_serve_routes summand base text model api serve_http serve_work serve_live serve_service)
set(SUMMAND_ROOM_serve summand base api terminal serve_http serve_work serve_live serve_service serve_routes)
set(SUMMAND_ROOM_examples summand)

# Warnings, assertions and sanitizers: on a target, never global.
function(summand_compile_options target)
  # -Wno-restrict: GCC 12 warns falsely of std::string's operator+ (GCC bug 105651).
  # A larger heap before GCC collects garbage: an eighth faster, for 200 MB more.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
    $<$<BOOL:${SUMMAND_WARNINGS_AS_ERRORS}>:-Werror>)
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${SUMMAND_ASSERTIONS}>:SUMMAND_ASSERTIONS>)
  if(SUMMAND_SANITIZE)
    # GCC's manual: beside sanitizers its warnings of uninitialised values are not to be relied on.
    target_compile_options(${target} PRIVATE -fsanitize=${SUMMAND_SANITIZE} -fno-omit-frame-pointer
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
      $<$<BOOL:${SUMMAND_LIBFUZZER}>:-fno-sanitize-recover=all>)
    target_link_options(${target} PUBLIC -fsanitize=${SUMMAND_SANITIZE})
  endif()
  if(SUMMAND_COVERAGE)
    target_compile_options(${target} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
    target_link_options(${target} PUBLIC -fprofile-instr-generate)
  endif()
endfunction()

# summand_room(<room> SOURCES file… USES room… [LINKS library…])
# Makes the static library summand_<room>. An arrow that the table above does not list stops the configuration.
function(summand_room room)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LINKS" ${ARGN})
  if(NOT DEFINED SUMMAND_ROOM_${room})
    message(FATAL_ERROR "room '${room}' is not in cmake/Rooms.cmake")
  endif()
  add_library(summand_${room} STATIC ${ROOM_SOURCES})
  set_target_properties(summand_${room} PROPERTIES UNITY_BUILD OFF)  # unless summand_merge_sources says otherwise
  target_include_directories(summand_${room} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  summand_compile_options(summand_${room})
  foreach(used IN LISTS ROOM_USES)
    if(NOT used IN_LIST SUMMAND_ROOM_${room})
      message(FATAL_ERROR "room '${room}' may not use '${used}'; it may use: ${SUMMAND_ROOM_${room}}")
    endif()
    target_link_libraries(summand_${room} PUBLIC summand_${used})
  endforeach()
  target_link_libraries(summand_${room} PRIVATE ${ROOM_LINKS})
endfunction()

# summand_merge_sources(<target> COUNT n [APART file…])
# The compiler reads n sources at a time as one, which saves most of what it spends on common headers and templates.
# File-local names of such sources must differ; a file for which that is too much to ask is named under APART.
function(summand_merge_sources target)
  cmake_parse_arguments(MERGE "" "COUNT" "APART" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SUMMAND_MERGE_SOURCES} UNITY_BUILD_BATCH_SIZE ${MERGE_COUNT})
  set_source_files_properties(${MERGE_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Compiles a program as a library is, with its precompiled headers, which want -fPIC where a program has -fPIE.
function(summand_headers_of target library)
  summand_compile_options(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${library})
endfunction()
