/// ORC's run-length encodings (the ORC specification, v1: "Run Length Encoding").
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bactrian {

/// Reads `count` integers of the version 2 encoding; false if the bytes end early or are malformed.
bool DecodeOrcIntegers(std::string_view bytes, bool is_signed, int64_t count, std::vector<int64_t>* out);

/// Reads `count` bits (one byte each in `out`, 0 or 1) of the boolean encoding.
bool DecodeOrcBooleans(std::string_view bytes, int64_t count, std::vector<uint8_t>* out);

}  // namespace bactrian
