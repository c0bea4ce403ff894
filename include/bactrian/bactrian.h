/// Everything of the public C++ API.
#pragma once

#include "bactrian/aggregate_function.h"  // IWYU pragma: export
#include "bactrian/catalog.h"             // IWYU pragma: export
#include "bactrian/data_type.h"           // IWYU pragma: export
#include "bactrian/history.h"             // IWYU pragma: export
#include "bactrian/lookup.h"              // IWYU pragma: export
#include "bactrian/maintain.h"            // IWYU pragma: export
#include "bactrian/predicate.h"           // IWYU pragma: export
#include "bactrian/scan.h"                // IWYU pragma: export
#include "bactrian/schema.h"              // IWYU pragma: export
#include "bactrian/schema_change.h"       // IWYU pragma: export
#include "bactrian/session.h"             // IWYU pragma: export
#include "bactrian/status.h"              // IWYU pragma: export
#include "bactrian/stream.h"              // IWYU pragma: export
#include "bactrian/table.h"               // IWYU pragma: export
#include "bactrian/value.h"               // IWYU pragma: export
#include "bactrian/write.h"               // IWYU pragma: export
