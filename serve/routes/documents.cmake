# The files that the server answers with: openapi.json, and the page that is written from it. The scripts take any Python.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
set(routes ${CMAKE_CURRENT_LIST_DIR})
add_custom_command(OUTPUT docs.html docs_policy.txt
  COMMAND ${Python3_EXECUTABLE} ${routes}/write_docs_page.py ${routes}/openapi.json ${routes}/docs.css docs.html docs_policy.txt
  DEPENDS ${routes}/write_docs_page.py ${routes}/openapi.json ${routes}/docs.css
  COMMENT "Writing the page of the server's routes" VERBATIM)
add_custom_command(OUTPUT document_files.cpp
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/lab/embed_files.py strings document_files.cpp
    serve/routes/document_files.hpp summand::serve::documents ${routes}/openapi.json docs.html docs_policy.txt
  DEPENDS ${PROJECT_SOURCE_DIR}/lab/embed_files.py ${routes}/openapi.json
    ${CMAKE_CURRENT_BINARY_DIR}/docs.html ${CMAKE_CURRENT_BINARY_DIR}/docs_policy.txt
  COMMENT "Embedding the server's documents" VERBATIM)
add_library(summand_serve_documents OBJECT ${CMAKE_CURRENT_BINARY_DIR}/document_files.cpp)
target_include_directories(summand_serve_documents PRIVATE ${PROJECT_SOURCE_DIR})
summand_compile_options(summand_serve_documents)
