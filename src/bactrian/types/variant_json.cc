#include <arrow/util/base64.h>
#include <arrow/util/decimal.h>

#include <bit>
#include <cstring>

#include "bactrian/types/java_text.h"
#include "bactrian/types/value_text.h"
#include "bactrian/types/variant_reader.h"
#include "bactrian/value.h"
#include "bactrian/variant.h"

namespace bactrian {
namespace {

/// As the reference's JSON writer escapes.
void AppendQuoted(std::string_view text, std::string* json) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  static constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  json->push_back('"');
  for (const char c : text) {
    if (const size_t at = kShort.find(c); at != std::string_view::npos) {
      json->push_back('\\');
      json->push_back(kLetters[at]);
    } else if (static_cast<uint8_t>(c) < 0x20) {
      json->append("\\u00");
      json->push_back(kDigits[c >> 4]);
      json->push_back(kDigits[c & 15]);
    } else {
      json->push_back(c);
    }
  }
  json->push_back('"');
}

/// As many digits of the fraction as it needs.
std::string WithoutTrailingZeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// "2024-01-01 10:00:00.25"
std::string TimestampText(int64_t units, int64_t units_per_milli) {
  int64_t millis = units / units_per_milli, rest = units % units_per_milli;
  if (rest < 0) rest += units_per_milli, --millis;
  const TimestampValue value{millis, static_cast<int32_t>(rest * (1000000 / units_per_milli))};
  return WithoutTrailingZeros(FormatValue(value, *DataType::WithPrecision(TypeRoot::kTimestamp, 9)));
}

std::string ScaledText(std::string_view payload) {
  const auto scale = static_cast<uint8_t>(payload[0]);
  const std::string_view bytes = payload.substr(1);
  const int64_t low = ReadVariantInteger(bytes.substr(0, 8));
  const int64_t high = bytes.size() > 8 ? ReadVariantInteger(bytes.substr(8)) : (low < 0 ? -1 : 0);
  return WithoutTrailingZeros(DecimalText(arrow::Decimal128(high, static_cast<uint64_t>(low)), scale));
}

std::string TimeText(int64_t micros) { return TimestampText(micros, 1000).substr(std::strlen("1970-01-01 ")); }

std::string UuidText(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    text.push_back(kDigits[static_cast<uint8_t>(bytes[i]) >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

class JsonWriter {
 public:
  explicit JsonWriter(const VariantMetadata& metadata) : metadata_(metadata) {}

  arrow::Status Append(const VariantNode& node, int depth) {
    if (depth > kMaxVariantDepth) return Corrupt("a VARIANT is nested deeper than ", kMaxVariantDepth, " levels");
    switch (node.basic_type()) {
      case VariantBasicType::kShortString:
        AppendQuoted(node.payload(), &json_);
        return arrow::Status::OK();
      case VariantBasicType::kPrimitive:
        AppendPrimitive(node.primitive(), node.payload());
        return arrow::Status::OK();
      default:
        return AppendContainer(node, depth);
    }
  }

  std::string Take() { return std::move(json_); }

 private:
  static constexpr size_t kMaxSize = size_t{1} << 30;

  arrow::Status AppendContainer(const VariantNode& node, int depth) {
    const bool is_object = node.basic_type() == VariantBasicType::kObject;
    json_.push_back(is_object ? '{' : '[');
    for (uint32_t i = 0; i < node.size(); ++i) {
      if (i > 0) json_.push_back(',');
      if (is_object) {
        ARROW_ASSIGN_OR_RAISE(const std::string_view name, metadata_.Name(node.FieldId(i)));
        AppendQuoted(name, &json_);
        json_.push_back(':');
      }
      ARROW_ASSIGN_OR_RAISE(const VariantNode child, node.Child(i));
      ARROW_RETURN_NOT_OK(Append(child, depth + 1));
      // Children may share bytes: a few kilobytes could name a text of any size.
      if (json_.size() > kMaxSize) return Corrupt("a VARIANT's JSON is larger than ", kMaxSize, " bytes");
    }
    json_.push_back(is_object ? '}' : ']');
    return arrow::Status::OK();
  }

  void AppendPrimitive(VariantPrimitive type, std::string_view payload) {
    switch (type) {
      case VariantPrimitive::kNull:
        json_ += "null";
        return;
      case VariantPrimitive::kTrue:
        json_ += "true";
        return;
      case VariantPrimitive::kFalse:
        json_ += "false";
        return;
      case VariantPrimitive::kInt8:
      case VariantPrimitive::kInt16:
      case VariantPrimitive::kInt32:
      case VariantPrimitive::kInt64:
        json_ += std::to_string(ReadVariantInteger(payload));
        return;
      case VariantPrimitive::kDouble:
        json_ += JavaDoubleText(std::bit_cast<double>(ReadVariantInteger(payload)));
        return;
      case VariantPrimitive::kFloat:
        json_ += JavaFloatText(std::bit_cast<float>(static_cast<int32_t>(ReadVariantInteger(payload))));
        return;
      case VariantPrimitive::kDecimal4:
      case VariantPrimitive::kDecimal8:
      case VariantPrimitive::kDecimal16:
        json_ += ScaledText(payload);
        return;
      case VariantPrimitive::kDate:
        return AppendQuoted(FormatValue(ReadVariantInteger(payload), *DataType::Make(TypeRoot::kDate)), &json_);
      case VariantPrimitive::kTimestamp:
        return AppendQuoted(TimestampText(ReadVariantInteger(payload), 1000) + "+00:00", &json_);
      case VariantPrimitive::kTimestampNtz:
        return AppendQuoted(TimestampText(ReadVariantInteger(payload), 1000), &json_);
      case VariantPrimitive::kTimestampNanos:
        return AppendQuoted(TimestampText(ReadVariantInteger(payload), 1000000) + "+00:00", &json_);
      case VariantPrimitive::kTimestampNtzNanos:
        return AppendQuoted(TimestampText(ReadVariantInteger(payload), 1000000), &json_);
      case VariantPrimitive::kTimeNtz:
        return AppendQuoted(TimeText(ReadVariantInteger(payload)), &json_);
      case VariantPrimitive::kBinary:
        return AppendQuoted(arrow::util::base64_encode(payload), &json_);
      case VariantPrimitive::kString:
        return AppendQuoted(payload, &json_);
      case VariantPrimitive::kUuid:
        return AppendQuoted(UuidText(payload), &json_);
    }
  }

  const VariantMetadata& metadata_;
  std::string json_;
};

}  // namespace

arrow::Result<std::string> VariantToJson(VariantView variant) {
  ARROW_ASSIGN_OR_RAISE(const VariantMetadata metadata, VariantMetadata::Parse(variant.metadata));
  ARROW_ASSIGN_OR_RAISE(const VariantNode node, VariantNode::Parse(variant.value));
  JsonWriter writer(metadata);
  ARROW_RETURN_NOT_OK(writer.Append(node, 1));
  return writer.Take();
}

}  // namespace bactrian
