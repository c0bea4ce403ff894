#pragma once

#include <memory>
#include <string>

#include "bactrian/session.h"
#include "bactrian/table.h"

namespace bactrian {

/// The table, branch or system table that `identifier` names, of the table in directory `path`. kNotFound for an unknown
/// system table.
arrow::Result<std::shared_ptr<Table>> OpenTableObject(std::shared_ptr<Session> session, const Identifier& identifier,
                                                      std::string path, const Options& dynamic_options);

}  // namespace bactrian
