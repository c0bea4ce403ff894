/// Floating-point numbers as Java text and back. Partition directories and casts to STRING carry this text, so the digits
/// are those of the JDKs that run the reference (up to 18), which are not always the shortest ones: 2.0E23 prints as
/// "1.9999999999999998E23".
#pragma once

#include <string>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Float.toString(value) and Double.toString(value).
std::string JavaFloatText(float value);
std::string JavaDoubleText(double value);

/// Float.parseFloat(text) and Double.parseDouble(text): surrounding blanks, a sign, "NaN", "Infinity", decimal or
/// hexadecimal digits, an exponent and one of f, F, d, D are taken; kInvalid for anything else. Out of range gives an
/// infinity or zero.
arrow::Result<float> ParseJavaFloat(std::string_view text);
arrow::Result<double> ParseJavaDouble(std::string_view text);

}  // namespace bactrian
