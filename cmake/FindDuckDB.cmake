# DuckDB for embedding, from a folder that tools/setup_duckdb.sh filled: include/, third_party/ and lib/libduckdb.so.
# Makes the target duckdb::duckdb. Its C++ ABI is exact per version, so the version is checked, not guessed.
set(BACTRIAN_DUCKDB_VERSION 1.5.6)
set(BACTRIAN_DUCKDB_DIR ${CMAKE_SOURCE_DIR}/.deps/duckdb-${BACTRIAN_DUCKDB_VERSION} CACHE PATH "DuckDB headers and library")

set(DuckDB_FOUND FALSE)
if(EXISTS ${BACTRIAN_DUCKDB_DIR}/lib/libduckdb.so AND EXISTS ${BACTRIAN_DUCKDB_DIR}/include/duckdb.hpp)
  file(STRINGS ${BACTRIAN_DUCKDB_DIR}/VERSION duckdb_version LIMIT_COUNT 1)
  if(NOT duckdb_version STREQUAL BACTRIAN_DUCKDB_VERSION)
    message(FATAL_ERROR "${BACTRIAN_DUCKDB_DIR} holds DuckDB ${duckdb_version}, wanted ${BACTRIAN_DUCKDB_VERSION}: run ./dev setup")
  endif()
  add_library(duckdb::duckdb SHARED IMPORTED)
  set_target_properties(duckdb::duckdb PROPERTIES
    IMPORTED_LOCATION ${BACTRIAN_DUCKDB_DIR}/lib/libduckdb.so IMPORTED_SONAME libduckdb.so)
  target_include_directories(duckdb::duckdb SYSTEM INTERFACE ${BACTRIAN_DUCKDB_DIR}/include ${BACTRIAN_DUCKDB_DIR}/third_party/re2)
  set(DuckDB_FOUND TRUE)
elseif(DuckDB_FIND_REQUIRED)
  message(FATAL_ERROR "No DuckDB ${BACTRIAN_DUCKDB_VERSION} in ${BACTRIAN_DUCKDB_DIR}: run ./dev setup, or configure with -DBACTRIAN_DUCKDB=OFF")
endif()
