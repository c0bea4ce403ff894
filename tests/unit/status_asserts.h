/// Assertions on arrow::Status and arrow::Result that print what went wrong.
#pragma once

#include <gtest/gtest.h>

#include "bactrian/status.h"

namespace bactrian {
inline const arrow::Status& StatusOf(const arrow::Status& status) { return status; }
template <typename T>
const arrow::Status& StatusOf(const arrow::Result<T>& result) {
  return result.status();
}
/// The kind of the error that was wanted; kUnknown, and a failed expectation, for success.
template <typename T>
ErrorKind ErrorKindOf(const T& outcome) {
  EXPECT_FALSE(StatusOf(outcome).ok());
  return StatusOf(outcome).ok() ? ErrorKind::kUnknown : KindOf(StatusOf(outcome));
}
}  // namespace bactrian

#define BACTRIAN_CONCAT_(a, b) a##b
#define BACTRIAN_CONCAT(a, b) BACTRIAN_CONCAT_(a, b)
#define ASSERT_OK(expression)                                                \
  do {                                                                       \
    const auto& outcome_ = (expression);                                     \
    ASSERT_TRUE(outcome_.ok()) << ::bactrian::StatusOf(outcome_).ToString(); \
  } while (false)
#define ASSERT_OK_AND_ASSIGN_(name, declaration, expression) \
  auto name = (expression);                                  \
  ASSERT_TRUE(name.ok()) << name.status().ToString();        \
  declaration = std::move(name).ValueUnsafe()
#define ASSERT_OK_AND_ASSIGN(declaration, expression) \
  ASSERT_OK_AND_ASSIGN_(BACTRIAN_CONCAT(result_, __COUNTER__), declaration, expression)
