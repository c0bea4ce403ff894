#include "bactrian/format/parquet/parquet_error.h"

#include <parquet/exception.h>

#include <exception>
#include <new>

namespace bactrian {

arrow::Status FromParquetException(std::string_view path) {
  try {
    throw;
  } catch (const parquet::ParquetStatusException& e) {
    const arrow::Status& status = e.status();
    if (KindOf(status) != ErrorKind::kUnknown) return status;
    if (status.IsOutOfMemory()) return status.WithMessage("parquet file ", path, ": ", status.message());
    if (status.IsNotImplemented()) return Unsupported("parquet file ", path, ": ", status.message());
    return Corrupt("parquet file ", path, ": ", status.message());
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("parquet file ", path);
  } catch (const std::exception& e) {
    return Corrupt("parquet file ", path, ": ", e.what());
  } catch (...) {
    return Corrupt("parquet file ", path, ": unknown exception");
  }
}

}  // namespace bactrian
