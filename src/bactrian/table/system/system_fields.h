#pragma once

#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

// Columns of the system tables, as the reference declares them (format reference: query.md §6).
std::vector<Field> SnapshotsFields();
std::vector<Field> SchemasFields();
std::vector<Field> OptionsFields();
std::vector<Field> TagsFields();
std::vector<Field> BranchesFields();
std::vector<Field> ConsumersFields();
std::vector<Field> StatisticsFields();
std::vector<Field> AggregationFieldsFields();
std::vector<Field> ManifestsFields();
std::vector<Field> FilesFields();
std::vector<Field> FileKeyRangesFields();
std::vector<Field> PartitionsFields();
std::vector<Field> BucketsFields();
std::vector<Field> TableIndexesFields();

}  // namespace bactrian
