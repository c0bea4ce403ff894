#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../status_asserts.h"
#include "bactrian/bactrian.h"

namespace bactrian {

inline Field NamedField(std::string name, TypePtr type) {
  Field field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

using Row = std::vector<Value>;

inline arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(const std::vector<Field>& fields,
                                                                    const std::vector<Row>& rows) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, ToArrowSchema(fields));
  arrow::ArrayVector columns;
  for (size_t i = 0; i < fields.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(schema->field(static_cast<int>(i))->type()));
    for (const Row& row : rows) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, ToScalar(row[i], *fields[i].type));
      ARROW_RETURN_NOT_OK(builder->AppendScalar(*scalar));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()), std::move(columns));
}

/// One commit with these rows.
inline arrow::Status Append(const std::shared_ptr<Table>& table, const std::vector<Row>& rows) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, MakeBatch(table->schema()->fields, rows));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Writer> writer, table->NewWriter());
  ARROW_RETURN_NOT_OK(writer->Write(*batch));
  ARROW_ASSIGN_OR_RAISE(std::vector<CommitMessagePtr> messages, writer->Finish());
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Committer> committer, table->NewCommitter());
  return committer->Commit(messages).status();
}

/// Each row as "a|b|c", sorted.
inline arrow::Result<std::vector<std::string>> RowTexts(arrow::RecordBatchReader& reader) {
  std::vector<std::string> texts;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader.Next());
    if (!batch) break;
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string& text = texts.emplace_back();
      for (const auto& column : batch->columns()) {
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, column->GetScalar(row));
        if (!text.empty()) text += "|";
        text += scalar->ToString();
      }
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline arrow::Result<std::vector<std::string>> ScanTexts(const Scan& scan) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, scan.MakePlan());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, plan->ReadAll());
  return RowTexts(*reader);
}

/// A catalog in memory with database "db".
class OwnTableTest : public testing::Test {
 protected:
  void SetUp() override {
    static int number = 0;
    warehouse_ = "memory://own_table_" + std::to_string(number++) + "/w";
    ASSERT_OK_AND_ASSIGN(session_, Session::Make({}));
    CatalogOptions options;
    options.warehouse = warehouse_;
    ASSERT_OK_AND_ASSIGN(catalog_, session_->OpenCatalog(options));
    ASSERT_OK(catalog_->CreateDatabase("db", false));
  }

  std::shared_ptr<Table> Create(std::vector<Field> fields, std::vector<std::string> partition_keys = {}, Options options = {}) {
    Schema schema;
    schema.fields = std::move(fields);
    schema.partition_keys = std::move(partition_keys);
    schema.options = std::move(options);
    const arrow::Status created = catalog_->CreateTable({"db", "t"}, std::move(schema));
    EXPECT_TRUE(created.ok()) << created.ToString();
    return Open();
  }

  std::shared_ptr<Table> Open(const Options& options = {}) {
    auto table = catalog_->GetTable({"db", "t"}, options);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ValueOr(nullptr);
  }

  std::string warehouse_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
};

inline PredicatePtr Is(PredicateOp op, std::string column, std::vector<Value> literals = {}) {
  return Predicate::Compare(op, std::move(column), std::move(literals));
}

}  // namespace bactrian
