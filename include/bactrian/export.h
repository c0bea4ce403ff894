#pragma once

/// Marks what libbactrian.so exports; everything else has hidden visibility.
#define BACTRIAN_EXPORT __attribute__((visibility("default")))
