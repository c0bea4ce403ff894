/// Metadata that lies: names that climb out of the table, files that are gone, entries that contradict each other.
#include <gmock/gmock.h>

#include "bactrian/index/deletion_vector.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/table/table_context.h"
#include "bactrian/types/binary_row.h"
#include "own_table.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HostileMetadataTest : public OwnTableTest {
 protected:
  void SetUp() override {
    OwnTableTest::SetUp();
    table_ = Create({NamedField("id", DataType::Int())});
    ASSERT_OK(Append(table_, {{int64_t{1}}, {int64_t{2}}, {int64_t{3}}}));
    ASSERT_OK_AND_ASSIGN(snapshot_, context().snapshots->Load(1));
    ASSERT_OK_AND_ASSIGN(auto manifests,
                         ReadManifestList(*context().store, context().paths.ManifestFile(snapshot_.delta_manifest_list), {}));
    ASSERT_OK(ReadManifest(*context().store, context().paths.ManifestFile(manifests.at(0).file_name), {}, {}, &entries_));
    ASSERT_EQ(entries_.size(), 1);
    manifest_ = manifests[0].file_name;
  }

  const TableContext& context() const { return *table_->context(); }

  /// A snapshot after the first one whose delta holds these entries.
  arrow::Status Publish(const std::vector<ManifestEntry>& entries, std::optional<std::string> index_manifest = {}) {
    FileStore& store = *context().store;
    const std::string uuid = NewUuid();
    int manifest_number = 0, list_number = 0;
    ARROW_ASSIGN_OR_RAISE(auto manifests, WriteManifests(store, context().paths, uuid, &manifest_number, entries, {}, {}));
    ARROW_ASSIGN_OR_RAISE(WrittenFile delta, WriteManifestList(store, context().paths, uuid, &list_number, manifests, {}));
    Snapshot next = snapshot_;
    next.id = 2;
    next.base_manifest_list = snapshot_.delta_manifest_list;
    next.base_manifest_list_size.reset();
    next.delta_manifest_list = delta.name;
    next.delta_manifest_list_size.reset();
    next.index_manifest = std::move(index_manifest);
    return context().snapshots->Publish(next);
  }

  ManifestEntry Another(const std::string& name) const {
    ManifestEntry entry = entries_[0];
    entry.file.file_name = name;
    return entry;
  }

  /// The plan's error, or that of reading it.
  arrow::Status ScanError(const std::shared_ptr<Table>& table) { return ScanTexts(table->NewScan()).status(); }

  std::shared_ptr<Table> table_;
  Snapshot snapshot_;
  std::vector<ManifestEntry> entries_;
  std::string manifest_;
};

class HostileFileNameTest : public HostileMetadataTest, public testing::WithParamInterface<const char*> {};

TEST_P(HostileFileNameTest, AFileNameIsNoPath) {
  ASSERT_OK(Publish({Another(GetParam())}));
  EXPECT_EQ(ErrorKindOf(ScanError(table_)), ErrorKind::kCorrupt);
}
INSTANTIATE_TEST_SUITE_P(Names, HostileFileNameTest,
                         testing::Values("../data-0.parquet", "/etc/passwd", "a/b.parquet", "file:/etc/passwd", "..", ""));

TEST_F(HostileMetadataTest, AnExternalPathIsReadOnlyWhereTheSessionOrASchemaAllowsIt) {
  ManifestEntry outside = Another("elsewhere.parquet");
  outside.file.external_path = warehouse_ + "/elsewhere/elsewhere.parquet";
  ASSERT_OK(Publish({outside}));
  EXPECT_EQ(ErrorKindOf(table_->NewScan().MakePlan()), ErrorKind::kCorrupt);
  SessionOptions options;
  options.allowed_paths = {warehouse_ + "/elsewhere"};
  ASSERT_OK_AND_ASSIGN(auto session, Session::Make(options));
  ASSERT_OK_AND_ASSIGN(auto table, session->OpenTable(table_->path()));
  ASSERT_OK(table->NewScan().MakePlan());
  EXPECT_EQ(ErrorKindOf(ScanError(table)), ErrorKind::kNotFound);  // allowed, but not there
}

TEST_F(HostileMetadataTest, AMissingManifestOrDataFileFailsAndIsNamed) {
  ASSERT_OK(Publish({Another("gone.parquet")}));
  const arrow::Status no_file = ScanError(table_);
  EXPECT_EQ(ErrorKindOf(no_file), ErrorKind::kNotFound);
  EXPECT_THAT(no_file.ToString(), HasSubstr("gone.parquet"));
  ASSERT_OK(context().store->DeleteFile(context().paths.ManifestFile(manifest_)));
  ASSERT_OK_AND_ASSIGN(auto session, Session::Make({}));  // whose cache does not know the manifest
  ASSERT_OK_AND_ASSIGN(auto table, session->OpenTable(table_->path()));
  const arrow::Status no_manifest = ScanError(table);
  EXPECT_EQ(ErrorKindOf(no_manifest), ErrorKind::kNotFound);
  EXPECT_THAT(no_manifest.ToString(), HasSubstr(manifest_));
}

TEST_F(HostileMetadataTest, AFileThatIsAddedTwiceIsCorruption) {
  ASSERT_OK(Publish({entries_[0]}));
  EXPECT_EQ(ErrorKindOf(table_->NewScan().MakePlan()), ErrorKind::kCorrupt);
}

TEST_F(HostileMetadataTest, ADeletedFileIsGoneAndALevelChangeKeepsIt) {
  ManifestEntry removed = entries_[0], moved = entries_[0];
  removed.kind = FileKind::kDelete;
  moved.file.level = 5;
  ASSERT_OK(Publish({removed, moved}));
  ASSERT_OK_AND_ASSIGN(auto rows, ScanTexts(table_->NewScan()));
  EXPECT_THAT(rows, ElementsAre("1", "2", "3"));
}

TEST_F(HostileMetadataTest, StatisticsThatDoNotParseKeepTheFile) {
  ManifestEntry removed = entries_[0], odd = entries_[0];
  removed.kind = FileKind::kDelete;
  const PredicatePtr filter = Is(PredicateOp::kEqual, "id", {int64_t{2}});
  odd.file.level = 1;
  odd.file.value_stats.min_values = std::string("\x00\x00\x00\x09garbage", 11);
  odd.file.value_stats.max_values = "";
  odd.file.value_stats.null_counts = {};
  ASSERT_OK(Publish({removed, odd}));
  ASSERT_OK_AND_ASSIGN(auto rows, ScanTexts(table_->NewScan().Filter(filter)));
  EXPECT_THAT(rows, ElementsAre("2"));
}

class DeletionVectorTest : public HostileMetadataTest {
 protected:
  /// Row 1 of the file is deleted.
  void SetUp() override {
    HostileMetadataTest::SetUp();
    RoaringBitmap deleted;
    deleted.Add(1);
    const std::string directory = table_->path() + "/index";
    ASSERT_OK_AND_ASSIGN(WrittenDeletionVectors written,
                         WriteDeletionVectors(*context().store, directory, "index-0", {{entries_[0].file.file_name, &deleted}},
                                              /*bitmap64=*/false));
    index_file_ = directory + "/index-0";
    IndexFileEntry entry;
    entry.partition = entries_[0].partition;
    entry.bucket = entries_[0].bucket;
    entry.index_type = kDeletionVectorsIndex;
    entry.file_name = written.file.name;
    entry.file_size = written.file.size;
    entry.row_count = 1;
    entry.deletion_vectors = written.ranges;
    int number = 0;
    ASSERT_OK_AND_ASSIGN(WrittenFile index_manifest,
                         WriteIndexManifest(*context().store, context().paths, NewUuid(), &number, {entry}, {}));
    ASSERT_OK(Publish({}, index_manifest.name));
  }
  std::string index_file_;
};

TEST_F(DeletionVectorTest, DeletedRowsAreNeitherReadNorCounted) {
  ASSERT_OK_AND_ASSIGN(auto rows, ScanTexts(table_->NewScan()));
  EXPECT_THAT(rows, ElementsAre("1", "3"));
  ASSERT_OK_AND_ASSIGN(auto none, ScanTexts(table_->NewScan().Filter(Is(PredicateOp::kEqual, "id", {int64_t{2}}))));
  EXPECT_TRUE(none.empty());
  ASSERT_OK_AND_ASSIGN(auto counted, ScanTexts(table_->NewScan().Select({})));
  EXPECT_EQ(counted.size(), 2);
  ASSERT_OK_AND_ASSIGN(auto plan, table_->NewScan().MakePlan());
  EXPECT_EQ(plan->statistics().row_count_precision, Precision::kExact);
  EXPECT_EQ(plan->statistics().row_count, 2);
  EXPECT_EQ(plan->statistics().columns.at("id").precision, Precision::kBound);  // 2 is counted in, but gone
}

TEST_F(DeletionVectorTest, WithoutItsVectorAFileIsNotRead) {
  ASSERT_OK(context().store->DeleteFile(index_file_));
  for (const std::vector<std::string>& columns : {std::vector<std::string>{"id"}, std::vector<std::string>{}}) {
    EXPECT_EQ(ErrorKindOf(ScanTexts(table_->NewScan().Select(columns)).status()), ErrorKind::kCorrupt);
  }
}

TEST_F(DeletionVectorTest, ADamagedVectorFailsTheScan) {
  ASSERT_OK_AND_ASSIGN(std::string bytes, context().store->ReadAll(index_file_));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_OK(context().store->Overwrite(index_file_, bytes));
  EXPECT_EQ(ErrorKindOf(ScanError(table_)), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace bactrian
