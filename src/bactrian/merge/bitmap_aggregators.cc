#include "bactrian/merge/bitmap_aggregators.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>

#include "bactrian/base/roaring.h"
#include "bactrian/merge/fold_group.h"

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;

/// The union of serialised bitmaps; with one side null the other's bytes stay as they are.
struct BitmapUnion {
  using Accumulator = std::string;
  static constexpr bool kSymmetric = false;
  Sources sources;
  bool wide;  ///< 64-bit

  arrow::Result<std::optional<std::string>> Read(RowRef ref) const {
    const auto& bytes = static_cast<const arrow::BinaryArray&>(*sources[ref.source]);
    if (bytes.IsNull(ref.row)) return std::nullopt;
    return std::string(bytes.GetView(ref.row));
  }

  arrow::Result<std::optional<std::string>> Aggregate(std::optional<std::string> acc, std::optional<std::string> input) const {
    if (!acc || !input) return acc ? acc : input;
    ARROW_ASSIGN_OR_RAISE(RoaringBitmap bitmap, Parse(*acc));
    ARROW_ASSIGN_OR_RAISE(const RoaringBitmap added, Parse(*input));
    bitmap.UnionWith(added);
    if (wide) return bitmap.ToRb64Portable();
    return bitmap.ToRb32();
  }

  arrow::Result<std::optional<std::string>> Retract(std::optional<std::string>, std::optional<std::string>) const {
    return Invalid("aggregate function ", wide ? "rbm64" : "rbm32", " cannot retract");
  }

  arrow::Result<RoaringBitmap> Parse(const std::string& bytes) const {
    return wide ? RoaringBitmap::ParseRb64Portable(bytes) : RoaringBitmap::ParseRb32(bytes);
  }
};

class BitmapAggregator final : public Aggregator {
 public:
  explicit BitmapAggregator(bool wide) : wide_(wide) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    arrow::BinaryBuilder builder(pool);
    const BitmapUnion fold{sources, wide_};
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> bytes, FoldGroup(fold, steps, g));
      ARROW_RETURN_NOT_OK(bytes ? builder.Append(*bytes) : builder.AppendNull());
    }
    return builder.Finish();
  }

 private:
  const bool wide_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeBitmapAggregator(std::string_view name, const Field& field,
                                                                      const Options&) {
  if (name != "rbm32" && name != "rbm64") return nullptr;
  if (field.type->root() != TypeRoot::kVarbinary) {
    return Invalid("aggregate function ", name, " does not take column ", field.name, " of type ", field.type->ToSqlString());
  }
  return std::make_shared<BitmapAggregator>(name == "rbm64");
}

}  // namespace bactrian
