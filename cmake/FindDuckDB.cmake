# DuckDB from the folders that tools/setup_duckdb.sh filled. Makes
#   duckdb::duckdb           the version for embedding: headers and libduckdb.so
#   duckdb::headers_<version>  headers alone, for loadable extensions; missing where the folder is
# Its C++ ABI is exact per version, so the version is checked, not guessed.
set(BACTRIAN_DUCKDB_VERSION 1.5.6)            # embedded
set(BACTRIAN_DUCKDB_VERSIONS 1.5.6 2.0.1)     # hosts of the loadable extension
set(BACTRIAN_DUCKDB_DIR ${CMAKE_SOURCE_DIR}/.deps/duckdb-${BACTRIAN_DUCKDB_VERSION} CACHE PATH
  "DuckDB headers and library; the other versions lie beside it")

foreach(version ${BACTRIAN_DUCKDB_VERSIONS})
  cmake_path(REPLACE_FILENAME BACTRIAN_DUCKDB_DIR duckdb-${version} OUTPUT_VARIABLE folder)
  if(version STREQUAL BACTRIAN_DUCKDB_VERSION)
    set(folder ${BACTRIAN_DUCKDB_DIR})
  endif()
  if(NOT EXISTS ${folder}/VERSION)
    continue()
  endif()
  file(STRINGS ${folder}/VERSION found LIMIT_COUNT 1)
  if(NOT found STREQUAL version)
    message(FATAL_ERROR "${folder} holds DuckDB ${found}, wanted ${version}: run ./dev setup")
  endif()
  string(REGEX MATCH "^[0-9]+" major ${version})
  add_library(duckdb::headers_${version} INTERFACE IMPORTED)
  target_include_directories(duckdb::headers_${version} SYSTEM INTERFACE ${folder}/include ${folder}/third_party/re2)
  if(EXISTS ${folder}/third_party/fmt/include)  # its own namespace: the system's fmt will not do
    target_include_directories(duckdb::headers_${version} SYSTEM INTERFACE ${folder}/third_party/fmt/include)
  endif()
  target_compile_definitions(duckdb::headers_${version} INTERFACE BACTRIAN_DUCKDB_MAJOR=${major})
endforeach()

set(DuckDB_FOUND FALSE)
if(TARGET duckdb::headers_${BACTRIAN_DUCKDB_VERSION} AND EXISTS ${BACTRIAN_DUCKDB_DIR}/lib/libduckdb.so)
  add_library(duckdb::duckdb SHARED IMPORTED)
  set_target_properties(duckdb::duckdb PROPERTIES
    IMPORTED_LOCATION ${BACTRIAN_DUCKDB_DIR}/lib/libduckdb.so IMPORTED_SONAME libduckdb.so)
  target_link_libraries(duckdb::duckdb INTERFACE duckdb::headers_${BACTRIAN_DUCKDB_VERSION})
  set(DuckDB_FOUND TRUE)
elseif(DuckDB_FIND_REQUIRED)
  message(FATAL_ERROR "No DuckDB ${BACTRIAN_DUCKDB_VERSION} in ${BACTRIAN_DUCKDB_DIR}: run ./dev setup, or configure with -DBACTRIAN_DUCKDB=OFF")
endif()
