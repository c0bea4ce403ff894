/// Printing follows the algorithm that jdk.internal.math.FloatingDecimal used until JDK 18: it develops digits of the exact
/// value until the rest is below half a unit in the last place, with shortcuts whose inexactness is part of the result.
#include "bactrian/types/java_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bactrian {
namespace {

constexpr int kFractionBits = 52;  ///< of a double; floats are shifted up to it
constexpr uint64_t kHiddenBit = uint64_t{1} << kFractionBits;

/// Bits that 5^i takes.
constexpr int kBitsOf5Power[] = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
constexpr int kNum5Powers = static_cast<int>(std::size(kBitsOf5Power));

/// How many decimal digits of an integer below 2^i say nothing.
constexpr int kInsignificantDigits[] = {0,  0,  0,  0,  1,  1,  1,  2,  2,  2,  3,  3,  3,  3,  4,  4,  4,  5,  5,  5,  6,  6,
                                        6,  6,  7,  7,  7,  8,  8,  8,  9,  9,  9,  9,  10, 10, 10, 11, 11, 11, 12, 12, 12, 12,
                                        13, 13, 13, 14, 14, 14, 15, 15, 15, 15, 16, 16, 16, 17, 17, 17, 18, 18, 18, 19};

uint64_t Power5(int exponent) {
  uint64_t power = 1;
  while (exponent-- > 0) power *= 5;
  return power;
}

int BitsOf5Power(int exponent) { return exponent < kNum5Powers ? kBitsOf5Power[exponent] : exponent * 3; }

/// A natural number of up to some 1,200 bits.
class BigNatural {
 public:
  /// value * 5^power5 * 2^power2
  BigNatural(uint64_t value, int power5, int power2) {
    words_ = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
    constexpr int kStep = 13;  // 5^13 < 2^31
    for (; power5 > 0; power5 -= kStep) Multiply(static_cast<uint32_t>(Power5(std::min(power5, kStep))));
    ShiftLeft(power2);
  }

  void Multiply(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& word : words_) {
      carry += uint64_t{word} * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<uint32_t>(carry));
  }

  void ShiftLeft(int bits) {
    Multiply(uint32_t{1} << (bits % 32));
    words_.insert(words_.begin(), static_cast<size_t>(bits / 32), 0);
  }

  /// The quotient, which is below 10; *this becomes ten times the rest.
  int DivideStep(const BigNatural& divisor) {
    int quotient = 0;
    for (; Compare(*this, divisor) >= 0; ++quotient) Subtract(divisor);
    Multiply(10);
    return quotient;
  }

  static int Compare(const BigNatural& a, const BigNatural& b) {
    for (size_t i = std::max(a.words_.size(), b.words_.size()); i-- > 0;) {
      if (a.Word(i) != b.Word(i)) return a.Word(i) < b.Word(i) ? -1 : 1;
    }
    return 0;
  }

  static BigNatural Sum(BigNatural a, const BigNatural& b) {
    a.words_.resize(std::max(a.words_.size(), b.words_.size()) + 1, 0);
    uint64_t carry = 0;
    for (size_t i = 0; i < a.words_.size(); ++i) {
      carry += uint64_t{a.words_[i]} + b.Word(i);
      a.words_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return a;
  }

 private:
  uint32_t Word(size_t i) const { return i < words_.size() ? words_[i] : 0; }

  void Subtract(const BigNatural& other) {
    int64_t borrow = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      borrow += int64_t{words_[i]} - int64_t{other.Word(i)};
      words_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
  }

  std::vector<uint32_t> words_;  ///< least significant first
};

/// 0.d1d2d3… * 10^exponent
struct Digits {
  std::string digits;
  int exponent = 0;

  void RoundUp() {
    size_t i = digits.size() - 1;
    while (digits[i] == '9' && i > 0) digits[i--] = '0';
    if (digits[i] == '9') {
      digits[i] = '1';
      ++exponent;
    } else {
      ++digits[i];
    }
  }
};

/// How the development of digits ended.
struct Ending {
  bool low = false;   ///< the rest is below half a unit
  bool high = false;  ///< the rest is within half a unit of the next digit
  int64_t tie = 0;    ///< twice the rest against a whole digit
};

void ApplyEnding(const Ending& ending, Digits* result) {
  if (!ending.high) return;
  if (ending.low && (ending.tie < 0 || (ending.tie == 0 && (result->digits.back() & 1) == 0))) return;
  result->RoundUp();
}

Digits IntegerDigits(uint64_t value, int insignificant) {
  Digits result;
  if (insignificant != 0) {
    uint64_t power10 = 1;
    for (int i = 0; i < insignificant; ++i) power10 *= 10;
    const uint64_t rest = value % power10;
    value = value / power10 + (rest >= power10 / 2 ? 1 : 0);
  }
  result.digits = std::to_string(value);
  result.exponent = static_cast<int>(result.digits.size()) + insignificant;
  result.digits.resize(result.digits.find_last_not_of('0') + 1);
  return result;
}

/// Powers of two and five in the numerator B, the denominator S and half a unit in the last place M.
struct Scaling {
  int b2, b5, s2, s5, m2, m5;
};

/// Java's int or long arithmetic, which wraps.
template <typename Int>
Ending DevelopInWord(uint64_t fraction, const Scaling& scale, int* exponent, Digits* result) {
  using Unsigned = std::make_unsigned_t<Int>;
  const auto wrap = [](auto value) { return static_cast<Int>(static_cast<Unsigned>(value)); };
  const auto ten_times = [&](Int value) { return wrap(static_cast<Unsigned>(value) * 10U); };
  Int b = wrap(static_cast<Unsigned>(fraction * Power5(scale.b5)) << scale.b2);
  const Int s = wrap(static_cast<Unsigned>(Power5(scale.s5)) << scale.s2);
  Int m = wrap(static_cast<Unsigned>(Power5(scale.m5)) << scale.m2);
  const Int tens = ten_times(s);
  Ending ending;
  for (bool first = true; first || !(ending.low || ending.high); first = false) {
    const int quotient = static_cast<int>(b / s);
    b = ten_times(b % s);
    m = ten_times(m);
    // A half unit that overflowed is certainly above the rest.
    const bool overflow = !first && m <= 0;
    ending.low = overflow || b < m;
    ending.high = overflow || wrap(static_cast<Unsigned>(b) + static_cast<Unsigned>(m)) > tens;
    if (first && quotient == 0 && !ending.high) {
      --*exponent;
    } else {
      result->digits += static_cast<char>('0' + quotient);
    }
    if (first && (*exponent < -3 || *exponent >= 8)) ending.low = ending.high = false;
  }
  ending.tie = wrap(static_cast<Unsigned>(b) * 2U - static_cast<Unsigned>(tens));
  return ending;
}

Ending DevelopInBigNaturals(uint64_t fraction, const Scaling& scale, int* exponent, Digits* result) {
  const BigNatural s(1, scale.s5, scale.s2);
  BigNatural b(fraction, scale.b5, scale.b2);
  BigNatural m(1, scale.m5 + 1, scale.m2 + 1);
  const BigNatural tens(1, scale.s5 + 1, scale.s2 + 1);
  Ending ending;
  for (bool first = true; first || !(ending.low || ending.high); first = false) {
    const int quotient = b.DivideStep(s);
    if (!first) m.Multiply(10);
    ending.low = BigNatural::Compare(b, m) < 0;
    ending.high = BigNatural::Compare(tens, BigNatural::Sum(b, m)) <= 0;
    if (first && quotient == 0 && !ending.high) {
      --*exponent;
    } else {
      result->digits += static_cast<char>('0' + quotient);
    }
    if (first && (*exponent < -3 || *exponent >= 8)) ending.low = ending.high = false;
  }
  if (ending.low && ending.high) {
    b.ShiftLeft(1);
    ending.tie = BigNatural::Compare(b, tens);
  }
  return ending;
}

/// An estimate of floor(log10(value)), at most one too high.
int EstimateExponent(uint64_t fraction, int binary_exponent) {
  const double mantissa = std::bit_cast<double>(uint64_t{1023} << kFractionBits | (fraction & (kHiddenBit - 1)));
  return static_cast<int>(std::floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + binary_exponent * 0.301029995663981));
}

/// `fraction` has kHiddenBit set; the value is fraction * 2^(binary_exponent - 52).
Digits Develop(int binary_exponent, uint64_t fraction, int significant_bits) {
  const int tail_zeros = std::countr_zero(fraction);
  const int fraction_bits = kFractionBits + 1 - tail_zeros;
  const int tiny_bits = std::max(0, fraction_bits - binary_exponent - 1);
  constexpr int kMaxIntegerExponent = 62, kMinIntegerExponent = -21;
  if (binary_exponent <= kMaxIntegerExponent && binary_exponent >= kMinIntegerExponent && tiny_bits == 0) {
    const int beyond = binary_exponent - significant_bits - 1;
    const int insignificant = binary_exponent > significant_bits && beyond > 1 ? kInsignificantDigits[beyond] : 0;
    const uint64_t integer = binary_exponent >= kFractionBits ? fraction << (binary_exponent - kFractionBits)
                                                              : fraction >> (kFractionBits - binary_exponent);
    return IntegerDigits(integer, insignificant);
  }

  int exponent = EstimateExponent(fraction, binary_exponent);
  Scaling scale{};
  scale.b5 = scale.m5 = std::max(0, -exponent);
  scale.b2 = scale.b5 + tiny_bits + binary_exponent;
  scale.s5 = std::max(0, exponent);
  scale.s2 = scale.s5 + tiny_bits;
  scale.m2 = scale.b2 - significant_bits;
  fraction >>= tail_zeros;
  scale.b2 -= fraction_bits - 1;
  const int common = std::min(scale.b2, scale.s2);
  scale.b2 -= common;
  scale.s2 -= common;
  scale.m2 -= common;
  if (fraction_bits == 1) --scale.m2;  // below a power of two, numbers lie twice as close
  if (scale.m2 < 0) {
    scale.b2 -= scale.m2;
    scale.s2 -= scale.m2;
    scale.m2 = 0;
  }

  Digits result;
  const int b_bits = fraction_bits + scale.b2 + BitsOf5Power(scale.b5);
  const int tens_bits = scale.s2 + 1 + BitsOf5Power(scale.s5 + 1);
  Ending ending;
  if (b_bits < 32 && tens_bits < 32) {
    ending = DevelopInWord<int32_t>(fraction, scale, &exponent, &result);
  } else if (b_bits < 64 && tens_bits < 64) {
    ending = DevelopInWord<int64_t>(fraction, scale, &exponent, &result);
  } else {
    ending = DevelopInBigNaturals(fraction, scale, &exponent, &result);
  }
  result.exponent = exponent + 1;
  ApplyEnding(ending, &result);
  return result;
}

std::string Layout(const Digits& value) {
  const std::string& digits = value.digits;
  const int count = static_cast<int>(digits.size());
  if (value.exponent > 0 && value.exponent < 8) {
    if (count <= value.exponent) return digits + std::string(static_cast<size_t>(value.exponent - count), '0') + ".0";
    const auto point = static_cast<size_t>(value.exponent);
    return digits.substr(0, point) + "." + digits.substr(point);
  }
  if (value.exponent <= 0 && value.exponent > -3) return "0." + std::string(static_cast<size_t>(-value.exponent), '0') + digits;
  return digits.substr(0, 1) + "." + (count > 1 ? digits.substr(1) : "0") + "E" + std::to_string(value.exponent - 1);
}

/// Of a finite number other than zero: `mantissa_bits` without the hidden one, `exponent` as stored.
std::string PositiveText(uint64_t mantissa, int exponent, int mantissa_bits, int bias) {
  int significant_bits = mantissa_bits + 1;
  if (exponent == 0) {  // denormal
    significant_bits = 64 - std::countl_zero(mantissa);
    const int shift = mantissa_bits + 1 - significant_bits;
    mantissa <<= shift;
    exponent = 1 - shift;
  } else {
    mantissa |= uint64_t{1} << mantissa_bits;
  }
  return Layout(Develop(exponent - bias, mantissa << (kFractionBits - mantissa_bits), significant_bits));
}

template <typename Float, typename Bits, int kMantissaBits, int kBias>
std::string FloatText(Float value) {
  if (std::isnan(value)) return "NaN";
  const auto bits = std::bit_cast<Bits>(value);
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "Infinity";
  if (value == 0) return sign + "0.0";
  const Bits mantissa = bits & ((Bits{1} << kMantissaBits) - 1);
  const int exponent = static_cast<int>(bits >> kMantissaBits) & (2 * kBias + 1);
  return sign + PositiveText(mantissa, exponent, kMantissaBits, kBias);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether the out-of-range number is large: the place of its first significant digit decides.
bool IsHuge(std::string_view text, bool hex) {
  const size_t mark = text.find_first_of(hex ? "pP" : "eE");
  const std::string_view mantissa = text.substr(0, mark);
  int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    const char* begin = text.data() + mark + 1;
    if (*begin == '+') ++begin;
    const auto parsed = std::from_chars(begin, text.data() + text.size(), exponent);
    if (parsed.ec == std::errc::result_out_of_range) return *begin != '-';
  }
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const size_t first = mantissa.find_first_not_of("0.");
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(std::min(first, mantissa.size()));
  return exponent + place * (hex ? 4 : 1) > 0;
}

template <typename Float>
arrow::Result<Float> ParseFloat(std::string_view text) {
  const auto error = [&] { return Invalid("'", text, "' is no number"); };
  std::string_view rest = text;
  while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= ' ') rest.remove_prefix(1);
  while (!rest.empty() && static_cast<unsigned char>(rest.back()) <= ' ') rest.remove_suffix(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const Float sign = negative ? Float{-1} : Float{1};
  if (rest == "NaN") return std::numeric_limits<Float>::quiet_NaN();
  if (rest == "Infinity") return sign * std::numeric_limits<Float>::infinity();
  const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
  if (hex) rest.remove_prefix(2);
  if (hex && rest.find_first_of("pP") == std::string_view::npos) return error();
  const bool has_suffix = !rest.empty() && std::string_view("fFdD").find(rest.back()) != std::string_view::npos;
  if (has_suffix) rest.remove_suffix(1);
  // Whatever else from_chars takes ("inf", "nan", a sign) is no Java number.
  const bool starts_well = !rest.empty() && (rest[0] == '.' || IsDigit(rest[0]) || (hex && std::isxdigit(rest[0]) != 0));
  if (!starts_well) return error();
  Float value = 0;
  const auto [stop, code] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value, hex ? std::chars_format::hex : std::chars_format::general);
  if (code == std::errc::invalid_argument || stop != rest.data() + rest.size()) return error();
  if (code == std::errc::result_out_of_range) value = IsHuge(rest, hex) ? std::numeric_limits<Float>::infinity() : Float{0};
  return sign * value;
}

}  // namespace

std::string JavaFloatText(float value) { return FloatText<float, uint32_t, 23, 127>(value); }
std::string JavaDoubleText(double value) { return FloatText<double, uint64_t, 52, 1023>(value); }
arrow::Result<float> ParseJavaFloat(std::string_view text) { return ParseFloat<float>(text); }
arrow::Result<double> ParseJavaDouble(std::string_view text) { return ParseFloat<double>(text); }

}  // namespace bactrian
