// From physical values to the Arrow type of the Paimon column.
#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <parquet/types.h>

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bactrian/format/parquet/leaf_reader.h"
#include "bactrian/format/parquet/physical_value.h"

namespace bactrian {
namespace {

using arrow::Decimal128;
using Wide = __int128;

struct Values {
  std::shared_ptr<arrow::Buffer> valid = {};  // null: all are
  int64_t length = 0;
  int64_t null_count = 0;
  bool IsValid(int64_t i) const { return !valid || arrow::bit_util::GetBit(valid->data(), i); }
};

class LeafConversion {
 public:
  LeafConversion(LeafReader& leaf, const ParquetFile& file, const ColumnPlan& plan, arrow::MemoryPool* pool)
      : records_(leaf.records()), descr_(leaf.descr()), file_(file), plan_(plan), pool_(pool) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Convert() {
    switch (plan_.type->root()) {
      case TypeRoot::kBoolean:
        return Booleans();
      case TypeRoot::kTinyint:
        return Integers<int8_t>();
      case TypeRoot::kSmallint:
        return Integers<int16_t>();
      case TypeRoot::kInt:
      case TypeRoot::kDate:
        return Integers<int32_t>();
      case TypeRoot::kBigint:
        return Integers<int64_t>();
      case TypeRoot::kTime:
        return Times();
      case TypeRoot::kFloat:
        return Physical() == parquet::Type::FLOAT ? AsIs() : Mismatch();
      case TypeRoot::kDouble:
        if (Physical() == parquet::Type::FLOAT) {
          return Map<float, double>([](float in, double* out) { return *out = in, true; });
        }
        return Physical() == parquet::Type::DOUBLE ? AsIs() : Mismatch();
      case TypeRoot::kDecimal:
        return Decimals();
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return Timestamps();
      case TypeRoot::kChar:
      case TypeRoot::kVarchar:
      case TypeRoot::kBinary:
      case TypeRoot::kVarbinary:
      case TypeRoot::kBlob:
      case TypeRoot::kGeometry:
      case TypeRoot::kGeography:
        return Bytes();
      default:
        return Mismatch();
    }
  }

 private:
  parquet::Type::type Physical() const { return descr_.physical_type(); }

  arrow::Status Mismatch() const {
    return Corrupt("parquet file ", file_.path(), ": column ", plan_.name, " is ", parquet::TypeToString(Physical()), " ",
                   descr_.logical_type()->ToString(), ", which cannot be read as ", plan_.type->ToSqlString());
  }

  arrow::Status OutOfRange(int64_t slot) const {
    return Unsupported("parquet file ", file_.path(), ": column ", plan_.name, ": value ", slot, " of the batch does not fit ",
                       plan_.arrow_type->ToString(), " (", plan_.type->ToSqlString(), ")");
  }

  Values TakeValidity() {
    Values values{.length = records_.values_written()};
    if (records_.nullable_values()) {
      values.null_count = records_.null_count();
      values.valid = records_.ReleaseIsValid();
      if (values.null_count == 0) values.valid = nullptr;
    }
    return values;
  }

  std::shared_ptr<arrow::Array> MakeArray(const Values& values, std::shared_ptr<arrow::Buffer> data) const {
    return arrow::MakeArray(
        arrow::ArrayData::Make(plan_.arrow_type, values.length, {values.valid, std::move(data)}, values.null_count));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> AsIs() {
    const Values values = TakeValidity();
    return MakeArray(values, records_.ReleaseValues());
  }

  /// `map(in, &out)` returns false for a value that does not fit.
  template <typename In, typename Out, typename F>
  arrow::Result<std::shared_ptr<arrow::Array>> Map(F map) {
    const Values values = TakeValidity();
    ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(values.length * sizeof(Out), pool_));
    const In* in = reinterpret_cast<const In*>(records_.values());
    Out* out = reinterpret_cast<Out*>(data->mutable_data());
    for (int64_t i = 0; i < values.length; ++i) {
      if (!values.IsValid(i)) {
        out[i] = Out();
      } else if (!map(in[i], &out[i])) {
        return OutOfRange(i);
      }
    }
    return MakeArray(values, std::move(data));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Booleans() {
    if (Physical() != parquet::Type::BOOLEAN) return Mismatch();
    const Values values = TakeValidity();
    ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateEmptyBitmap(values.length, pool_));
    const auto* in = reinterpret_cast<const uint8_t*>(records_.values());
    for (int64_t i = 0; i < values.length; ++i) {
      if (values.IsValid(i) && in[i]) arrow::bit_util::SetBit(data->mutable_data(), i);
    }
    return MakeArray(values, std::move(data));
  }

  template <typename Out>
  arrow::Result<std::shared_ptr<arrow::Array>> Integers() {
    const auto fits = [](auto in, Out* out) {
      *out = static_cast<Out>(in);
      return std::in_range<Out>(in);
    };
    const bool is_unsigned = descr_.sort_order() == parquet::SortOrder::UNSIGNED;
    if (Physical() == parquet::Type::INT32) {
      if (std::is_same_v<Out, int32_t> && !is_unsigned) return AsIs();
      return is_unsigned ? Map<uint32_t, Out>(fits) : Map<int32_t, Out>(fits);
    }
    if (Physical() == parquet::Type::INT64) {
      if (std::is_same_v<Out, int64_t> && !is_unsigned) return AsIs();
      return is_unsigned ? Map<uint64_t, Out>(fits) : Map<int64_t, Out>(fits);
    }
    return Mismatch();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Times() {
    if (Physical() == parquet::Type::INT32) return AsIs();
    if (Physical() != parquet::Type::INT64) return Mismatch();
    const int64_t divisor = TimeTicksPerMilli(descr_);
    return Map<int64_t, int32_t>([divisor](int64_t in, int32_t* out) {
      *out = static_cast<int32_t>(in / divisor);
      return std::in_range<int32_t>(in / divisor);
    });
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Timestamps() {
    const auto unit = static_cast<const arrow::TimestampType&>(*plan_.arrow_type).unit();
    const int64_t per_second = TicksPerSecond(unit);
    if (Physical() == parquet::Type::INT96) {
      const int64_t nanos_per_tick = 1000000000 / per_second;
      return Map<parquet::Int96, int64_t>([nanos_per_tick](const parquet::Int96& in, int64_t* out) {
        constexpr int64_t kJulianEpoch = 2440588, kNanosPerDay = 86400000000000;
        uint64_t nanos;
        std::memcpy(&nanos, in.value.data(), sizeof(nanos));
        const Wide days = static_cast<Wide>(in.value[2]) - kJulianEpoch;
        return Store(FloorDivide(days * kNanosPerDay + static_cast<int64_t>(nanos), nanos_per_tick), out);
      });
    }
    if (Physical() != parquet::Type::INT64) return Mismatch();
    const int64_t file_per_second = TicksPerSecond(UnitOf(descr_, unit));
    if (file_per_second == per_second) return AsIs();
    if (file_per_second < per_second) {
      const int64_t factor = per_second / file_per_second;
      return Map<int64_t, int64_t>([factor](int64_t in, int64_t* out) { return Store(static_cast<Wide>(in) * factor, out); });
    }
    const int64_t divisor = file_per_second / per_second;
    return Map<int64_t, int64_t>([divisor](int64_t in, int64_t* out) { return Store(FloorDivide(in, divisor), out); });
  }

  static Wide FloorDivide(Wide a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

  static int64_t TicksPerSecond(arrow::TimeUnit::type unit) {
    return unit == arrow::TimeUnit::MILLI ? 1000 : unit == arrow::TimeUnit::MICRO ? 1000000 : 1000000000;
  }

  static bool Store(Wide value, int64_t* out) {
    *out = static_cast<int64_t>(value);
    return value == *out;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Decimals() {
    const auto* type = dynamic_cast<const parquet::DecimalLogicalType*>(descr_.logical_type().get());
    const int32_t scale = plan_.type->scale(), precision = plan_.type->precision();
    const int32_t file_scale = type ? type->scale() : scale;
    const bool is_exact = file_scale == scale && type && type->precision() <= precision;
    const auto store = [=](const Decimal128& in, Decimal128* out) {
      if (is_exact) return *out = in, true;
      const auto scaled = file_scale == scale ? arrow::Result<Decimal128>(in) : in.Rescale(file_scale, scale);
      if (!scaled.ok() || !scaled->FitsInPrecision(precision)) return false;
      return *out = *scaled, true;
    };
    switch (Physical()) {
      case parquet::Type::INT32:
        return Map<int32_t, Decimal128>([&](int32_t in, Decimal128* out) { return store(Decimal128(in), out); });
      case parquet::Type::INT64:
        return Map<int64_t, Decimal128>([&](int64_t in, Decimal128* out) { return store(Decimal128(in), out); });
      case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      case parquet::Type::BYTE_ARRAY:
        return BinaryDecimals(store);
      default:
        return Mismatch();
    }
  }

  template <typename Store>
  arrow::Result<std::shared_ptr<arrow::Array>> BinaryDecimals(const Store& store) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, TakeBinary());
    ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(bytes->length() * sizeof(Decimal128), pool_));
    auto* out = reinterpret_cast<Decimal128*>(data->mutable_data());
    const auto fill = [&](const auto& array) -> arrow::Status {
      for (int64_t i = 0; i < array.length(); ++i) {
        Decimal128 value;
        if (array.IsValid(i) && (!DecimalFromBigEndian(array.GetView(i), &value) || !store(value, &value)))
          return OutOfRange(i);
        out[i] = value;
      }
      return arrow::Status::OK();
    };
    if (bytes->type_id() == arrow::Type::FIXED_SIZE_BINARY) {
      ARROW_RETURN_NOT_OK(fill(static_cast<const arrow::FixedSizeBinaryArray&>(*bytes)));
    } else {
      ARROW_RETURN_NOT_OK(fill(static_cast<const arrow::BinaryArray&>(*bytes)));
    }
    return arrow::MakeArray(arrow::ArrayData::Make(plan_.arrow_type, bytes->length(), {bytes->null_bitmap(), std::move(data)},
                                                   bytes->null_count()));
  }

  /// BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY values, as the type that the leaf was opened with.
  arrow::Result<std::shared_ptr<arrow::Array>> TakeBinary() {
    arrow::ArrayVector chunks = dynamic_cast<parquet::internal::BinaryRecordReader&>(records_).GetBuilderChunks();
    if (chunks.size() == 1) return chunks[0];
    return arrow::Concatenate(chunks, pool_);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Bytes() {
    if (Physical() != parquet::Type::BYTE_ARRAY && Physical() != parquet::Type::FIXED_LEN_BYTE_ARRAY) return Mismatch();
    ARROW_ASSIGN_OR_RAISE(auto bytes, TakeBinary());
    if (Physical() == parquet::Type::FIXED_LEN_BYTE_ARRAY)
      return FixedToBinary(static_cast<const arrow::FixedSizeBinaryArray&>(*bytes));
    if (bytes->type_id() == plan_.arrow_type->id()) return bytes;
    std::shared_ptr<arrow::ArrayData> data = bytes->data()->Copy();
    data->type = plan_.arrow_type;  // binary and utf8 of one kind have one layout
    return arrow::MakeArray(std::move(data));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> FixedToBinary(const arrow::FixedSizeBinaryArray& fixed) {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(plan_.arrow_type, pool_));
    const auto append = [&](auto* typed) -> arrow::Status {
      for (int64_t i = 0; i < fixed.length(); ++i) {
        ARROW_RETURN_NOT_OK(fixed.IsNull(i) ? typed->AppendNull() : typed->Append(fixed.GetView(i)));
      }
      return arrow::Status::OK();
    };
    if (auto* views = dynamic_cast<arrow::BinaryViewBuilder*>(builder.get())) {
      ARROW_RETURN_NOT_OK(append(views));
    } else {
      ARROW_RETURN_NOT_OK(append(static_cast<arrow::BinaryBuilder*>(builder.get())));
    }
    return builder->Finish();
  }

  parquet::internal::RecordReader& records_;
  const parquet::ColumnDescriptor& descr_;
  const ParquetFile& file_;
  const ColumnPlan& plan_;
  arrow::MemoryPool* pool_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> TakeLeafValues(LeafReader& leaf, const ParquetFile& file, const ColumnPlan& plan,
                                                            arrow::MemoryPool* pool) {
  return LeafConversion(leaf, file, plan, pool).Convert();
}

std::shared_ptr<arrow::DataType> LeafValueType(const ColumnPlan& plan) {
  return arrow::is_binary_view_like(plan.arrow_type->id()) ? arrow::binary_view() : arrow::binary();
}

}  // namespace bactrian
