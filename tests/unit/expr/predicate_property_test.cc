// Generated predicates over generated columns: the columnar evaluation equals a naive one, and bounds never lose a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bactrian/expr/evaluate.h"
#include "testing.h"

namespace bactrian {
namespace {

constexpr int kBatches = 120;
constexpr int kPredicatesABatch = 20;
constexpr size_t kRows = 60;
constexpr size_t kGroupRows = 6;

// The naive evaluation, written without the code under test.

template <typename Float>
int CompareFloats(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  if (a == 0 && b == 0) return int{std::signbit(b)} - int{std::signbit(a)};
  return a < b ? -1 : a > b ? 1 : 0;
}

int CompareBytes(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int difference = static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
    if (difference != 0) return difference;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

int CompareNaively(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<float>(&a)) return CompareFloats(*x, std::get<float>(b));
  if (const auto* x = std::get_if<double>(&a)) return CompareFloats(*x, std::get<double>(b));
  if (const auto* x = std::get_if<std::string>(&a)) return CompareBytes(*x, std::get<std::string>(b));
  if (const auto* x = std::get_if<arrow::Decimal128>(&a)) {
    const auto& y = std::get<arrow::Decimal128>(b);
    return *x < y ? -1 : *x > y ? 1 : 0;
  }
  return a < b ? -1 : a == b ? 0 : 1;
}

bool LikeNaively(const std::string& text, size_t i, const std::string& pattern, size_t k) {
  if (k == pattern.size()) return i == text.size();
  if (pattern[k] == '%')
    return LikeNaively(text, i, pattern, k + 1) || (i < text.size() && LikeNaively(text, i + 1, pattern, k));
  if (i == text.size()) return false;
  return (pattern[k] == '_' || pattern[k] == text[i]) && LikeNaively(text, i + 1, pattern, k + 1);
}

using Truth = std::optional<bool>;

Truth InNaively(const Value& value, const std::vector<Value>& literals) {
  Truth result = false;
  for (const Value& literal : literals) {
    if (IsNull(literal)) {
      result = std::nullopt;
    } else if (CompareNaively(value, literal) == 0) {
      return true;
    }
  }
  return result;
}

Truth LeafNaively(const Predicate& leaf, const Value& value) {
  if (leaf.op() == PredicateOp::kIsNull) return IsNull(value);
  if (leaf.op() == PredicateOp::kIsNotNull) return !IsNull(value);
  if (IsNull(value)) return std::nullopt;
  if (leaf.op() == PredicateOp::kIn) return InNaively(value, leaf.literals());
  if (leaf.op() == PredicateOp::kNotIn) {
    const Truth in = InNaively(value, leaf.literals());
    return in.has_value() ? Truth(!*in) : std::nullopt;
  }
  const Value& literal = leaf.literals().front();
  if (IsNull(literal)) return std::nullopt;
  const auto text = [&] { return std::get<std::string>(value); };
  const auto part = [&] { return std::get<std::string>(literal); };
  switch (leaf.op()) {
    case PredicateOp::kEqual:
      return CompareNaively(value, literal) == 0;
    case PredicateOp::kNotEqual:
      return CompareNaively(value, literal) != 0;
    case PredicateOp::kLess:
      return CompareNaively(value, literal) < 0;
    case PredicateOp::kLessOrEqual:
      return CompareNaively(value, literal) <= 0;
    case PredicateOp::kGreater:
      return CompareNaively(value, literal) > 0;
    case PredicateOp::kGreaterOrEqual:
      return CompareNaively(value, literal) >= 0;
    case PredicateOp::kStartsWith:
      return text().substr(0, part().size()) == part();
    case PredicateOp::kEndsWith:
      return text().size() >= part().size() && text().substr(text().size() - part().size()) == part();
    case PredicateOp::kContains:
      return text().find(part()) != std::string::npos;
    default:
      return LikeNaively(text(), 0, part(), 0);
  }
}

Truth Naively(const Predicate& predicate, const std::vector<Value>& row) {
  const bool is_and = predicate.op() == PredicateOp::kAnd;
  if (!is_and && predicate.op() != PredicateOp::kOr)
    return LeafNaively(predicate, row[std::stoul(predicate.column().substr(1))]);
  Truth result = is_and;
  for (const PredicatePtr& child : predicate.children()) {
    const Truth value = Naively(*child, row);
    if (value == !is_and) return !is_and;
    if (!value.has_value()) result = std::nullopt;
  }
  return result;
}

// The generator: few distinct values a column, so that comparisons hit.

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  size_t Below(size_t limit) { return random_() % limit; }
  bool Chance(size_t percent) { return Below(100) < percent; }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  Value MakeValue(const DataType& type) {
    switch (type.root()) {
      case TypeRoot::kBoolean:
        return Value(Chance(50));
      case TypeRoot::kFloat:
        return Value(static_cast<float>(MakeDouble()));
      case TypeRoot::kDouble:
        return Value(MakeDouble());
      case TypeRoot::kDecimal:
        return Value(arrow::Decimal128(Pick<int64_t>({-999, -100, -1, 0, 1, 5, 100, 999})) *
                     (type.precision() > 18 ? arrow::Decimal128("1000000000000000000000") : arrow::Decimal128(1)));
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return MakeTimestamp(type.precision());
      case TypeRoot::kVarchar:
      case TypeRoot::kVarbinary:
        return MakeText();
      case TypeRoot::kTinyint:
        return Int(Pick<int64_t>({-128, -1, 0, 1, 2, 3, 127}));
      default:
        return Int(Pick<int64_t>({-2000, -129, -1, 0, 1, 2, 3, 128, 32767}));
    }
  }

  PredicatePtr MakePredicate(const std::vector<Field>& fields, int depth) {
    if (depth > 0 && Chance(60)) {
      std::vector<PredicatePtr> children;
      for (size_t i = 0; i < 2 + Below(2); ++i) children.push_back(MakePredicate(fields, depth - 1));
      return Chance(50) ? Predicate::And(children) : Predicate::Or(children);
    }
    return MakeLeaf(fields[Below(fields.size())]);
  }

 private:
  double MakeDouble() {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    return Pick<double>({-infinity, -1.5, -0.0, 0.0, 0.5, 1.5, 2.5, infinity, nan, -nan});
  }

  Value MakeTimestamp(int32_t precision) {
    TimestampValue value{Pick<int64_t>({-62'135'596'800'000, -86'400'001, -1000, -1, 0, 1, 1'704'112'496'789}), 0};
    if (precision > 6) value.millis = std::max<int64_t>(value.millis, -86'400'001);
    if (precision > 3) value.nanos = Pick<int32_t>({0, 1'000, 999'000});
    if (precision > 6 && Chance(50)) value.nanos += 1;
    return value;
  }

  Value MakeText() {
    std::string text;
    for (size_t i = Below(5); i > 0; --i) text += Pick<std::string>({"a", "b", "c", "\x7f", "\xff", std::string(1, '\0')});
    return text;
  }

  std::string MakePattern() {
    std::string pattern;
    for (size_t i = Below(5); i > 0; --i) pattern += Pick<std::string>({"a", "b", "%", "_", "\x7f"});
    return pattern;
  }

  PredicatePtr MakeLeaf(const Field& field) {
    using Op = PredicateOp;
    std::vector<Op> ops = {Op::kIsNull,      Op::kIsNotNull, Op::kEqual,          Op::kNotEqual, Op::kLess,
                           Op::kLessOrEqual, Op::kGreater,   Op::kGreaterOrEqual, Op::kIn,       Op::kNotIn};
    const bool is_text = field.type->root() == TypeRoot::kVarchar || field.type->root() == TypeRoot::kVarbinary;
    if (is_text) ops.insert(ops.end(), {Op::kStartsWith, Op::kEndsWith, Op::kContains, Op::kLike, Op::kStartsWith, Op::kLike});
    const Op op = Pick(ops);
    std::vector<Value> literals;
    size_t count = op == Op::kIsNull || op == Op::kIsNotNull ? 0 : 1;
    if (op == Op::kIn || op == Op::kNotIn) count = Chance(10) ? 12 : Below(4);
    for (size_t i = 0; i < count; ++i) {
      if (Chance(4)) {
        literals.emplace_back();
      } else {
        literals.push_back(op == Op::kLike ? Value(MakePattern()) : MakeValue(*field.type));
      }
    }
    return Predicate::Compare(op, field.name, literals);
  }

  std::mt19937 random_;
};

std::vector<Field> AllFields() {
  std::vector<Field> fields;
  auto add = [&](TypePtr type) {
    const auto i = static_cast<int32_t>(fields.size());
    fields.push_back({.id = i, .name = "c" + std::to_string(i), .type = std::move(type)});
  };
  for (TypeRoot root : {TypeRoot::kBoolean, TypeRoot::kTinyint, TypeRoot::kSmallint, TypeRoot::kInt, TypeRoot::kBigint,
                        TypeRoot::kFloat, TypeRoot::kDouble, TypeRoot::kDate, TypeRoot::kTime}) {
    add(DataType::Make(root));
  }
  for (int32_t precision : {9, 18, 38}) add(DataType::Decimal(precision, 2));
  for (int32_t precision : {3, 6, 9}) add(DataType::WithPrecision(TypeRoot::kTimestamp, precision));
  add(DataType::WithPrecision(TypeRoot::kTimestampLtz, 6));
  add(DataType::String());
  add(DataType::Bytes());
  return fields;
}

struct Table {
  std::vector<Field> fields = AllFields();
  std::vector<std::vector<Value>> rows;  ///< neighbours resemble each other, so that groups of rows have narrow bounds

  explicit Table(Generator* generator) {
    for (size_t row = 0; row < kRows; ++row) {
      std::vector<Value> values;
      for (size_t i = 0; i < fields.size(); ++i) {
        const bool repeat = row % kGroupRows != 0 && generator->Chance(70);
        if (repeat) {
          values.push_back(rows.back()[i]);
        } else {
          values.push_back(generator->Chance(15) ? Value{} : generator->MakeValue(*fields[i].type));
        }
      }
      rows.push_back(std::move(values));
    }
  }

  std::shared_ptr<arrow::RecordBatch> ToBatch(Generator* generator) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t i = 0; i < fields.size(); ++i) {
      std::vector<Value> values;
      for (const auto& row : rows) values.push_back(row[i]);
      columns.push_back(WithLayout(MakeColumn(fields[i].type, values), static_cast<Layout>(generator->Below(6))));
    }
    return MakeBatch(columns);
  }
};

enum class BoundsKind { kExact, kMissing, kTruncated };

bool IsNanValue(const Value& value) {
  if (const auto* number = std::get_if<float>(&value)) return std::isnan(*number);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

/// The least text above all that start with the first byte; nullopt if there is none.
std::optional<Value> Shorten(const Value& value, bool is_max) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->size() < 2) return value;
  std::string shortened = text->substr(0, 1);
  if (is_max && static_cast<unsigned char>(shortened[0]) == 0xff) return std::nullopt;
  if (is_max) ++shortened[0];
  return shortened;
}

/// As writers make them: NaN is left out, zeros may be of either sign.
ColumnBounds BoundsOf(const Table& table, size_t column, size_t first_row, BoundsKind kind, Generator* generator) {
  ColumnBounds bounds{std::nullopt, std::nullopt, 0};
  for (size_t row = first_row; row < first_row + kGroupRows; ++row) {
    const Value& value = table.rows[row][column];
    if (IsNull(value)) ++*bounds.null_count;
    if (IsNull(value) || IsNanValue(value)) continue;
    if (!bounds.min.has_value() || CompareNaively(value, *bounds.min) < 0) bounds.min = value;
    if (!bounds.max.has_value() || CompareNaively(value, *bounds.max) > 0) bounds.max = value;
  }
  for (std::optional<Value>* bound : {&bounds.min, &bounds.max}) {
    if (*bound == std::optional<Value>(Value(0.0)) && generator->Chance(50)) *bound = Value(generator->Chance(50) ? 0.0 : -0.0);
  }
  if (kind == BoundsKind::kTruncated) {
    if (bounds.min.has_value()) bounds.min = Shorten(*bounds.min, false);
    if (bounds.max.has_value()) bounds.max = Shorten(*bounds.max, true);
  }
  if (kind == BoundsKind::kMissing) {
    if (generator->Chance(40)) bounds.min.reset();
    if (generator->Chance(40)) bounds.max.reset();
    if (generator->Chance(40)) bounds.null_count.reset();
  }
  return bounds;
}

TEST(GeneratedPredicates, ColumnarAndRowEvaluationEqualTheNaiveOne) {
  Generator generator(20261130);
  int64_t true_rows = 0, null_rows = 0, all_rows = 0;
  for (int i = 0; i < kBatches; ++i) {
    const Table table(&generator);
    auto batch = table.ToBatch(&generator);
    for (int k = 0; k < kPredicatesABatch; ++k) {
      const PredicatePtr predicate = generator.MakePredicate(table.fields, 3);
      auto bound = BoundPredicate::Bind(predicate, table.fields);
      ASSERT_OK(bound);
      std::vector<uint8_t> mask(kRows, 7);
      ASSERT_OK((*bound)->Evaluate(*batch, mask.data()));
      for (size_t row = 0; row < kRows; ++row) {
        const Truth expected = Naively(*predicate, table.rows[row]);
        ASSERT_EQ(mask[row], expected == true) << predicate->ToString() << " in row " << row << " of batch " << i;
        auto value_of = [&](std::string_view name) { return &table.rows[row][std::stoul(std::string(name.substr(1)))]; };
        ASSERT_EQ(EvaluateRow(*predicate, value_of), expected) << predicate->ToString() << " in row " << row;
        true_rows += expected == true;
        null_rows += !expected.has_value();
        ++all_rows;
      }
    }
  }
  EXPECT_GT(true_rows, all_rows / 10);
  EXPECT_LT(true_rows, all_rows * 9 / 10);
  EXPECT_GT(null_rows, all_rows / 50);
}

TEST(GeneratedPredicates, BoundsNeverLoseARow) {
  Generator generator(7);
  for (BoundsKind kind : {BoundsKind::kExact, BoundsKind::kMissing, BoundsKind::kTruncated}) {
    int64_t pruned = 0, prunable = 0;
    for (int i = 0; i < kBatches; ++i) {
      const Table table(&generator);
      for (int k = 0; k < kPredicatesABatch; ++k) {
        const PredicatePtr predicate = generator.MakePredicate(table.fields, 2);
        for (size_t first = 0; first < kRows; first += kGroupRows) {
          bool matches = false;
          for (size_t row = first; row < first + kGroupRows; ++row) matches |= Naively(*predicate, table.rows[row]) == true;
          auto bounds_of = [&](std::string_view name) -> std::optional<ColumnBounds> {
            if (kind == BoundsKind::kMissing && generator.Chance(10)) return std::nullopt;
            return BoundsOf(table, std::stoul(std::string(name.substr(1))), first, kind, &generator);
          };
          const bool may_match = MayMatch(*predicate, kGroupRows, bounds_of);
          ASSERT_TRUE(may_match || !matches) << predicate->ToString() << " in the rows from " << first << " of batch " << i;
          pruned += !may_match;
          prunable += !matches;
        }
      }
    }
    // Pruning that never prunes would pass the above.
    EXPECT_GT(pruned, prunable * (kind == BoundsKind::kMissing ? 2 : 5) / 10) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace bactrian
