#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/catalog.h"
#include "bactrian/session.h"
#include "bactrian/table.h"

namespace bactrian {

/// The tables of database `sys`, which show all tables of a catalog: all_table_options, catalog_options, partitions, tables
/// (format reference: query.md §6). Sorted.
const std::vector<std::string>& SysTableNames();

/// One of them; its rows are computed anew by every plan. It keeps the session and the catalog alive. kNotFound for another
/// name.
arrow::Result<std::shared_ptr<Table>> OpenSysTable(std::shared_ptr<Session> session, std::shared_ptr<Catalog> catalog,
                                                   const Options& catalog_options, const Identifier& identifier);

}  // namespace bactrian
