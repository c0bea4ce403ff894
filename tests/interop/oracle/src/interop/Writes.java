package interop;

import org.apache.paimon.CoreOptions;
import org.apache.paimon.AppendOnlyFileStore;
import org.apache.paimon.Snapshot;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.*;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.FileRecordIterator;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.*;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.*;

import java.io.BufferedReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.*;

/** The commands of the oracle that change tables: create, alter, write, compact, delete, tag. */
final class Writes {
    static final ObjectMapper JSON = new ObjectMapper();

    static JsonNode json(String file) throws Exception {
        return JSON.readTree(Files.readAllBytes(Paths.get(file)));
    }

    static List<String> texts(JsonNode array) {
        List<String> out = new ArrayList<>();
        if (array != null) array.forEach(n -> out.add(n.asText()));
        return out;
    }

    static String text(JsonNode node, String key) {
        return node.hasNonNull(key) ? node.get(key).asText() : null;
    }

    /** {"fields":[{"name","type","description"?}],"partitionKeys":[],"primaryKeys":[],"options":{},"comment"?} */
    static void create(Catalog catalog, Identifier id, String file) throws Exception {
        JsonNode n = json(file);
        Schema.Builder b = Schema.newBuilder();
        for (JsonNode f : n.get("fields")) b.column(text(f, "name"), DataTypeJsonParser.parseDataType(f.get("type")), text(f, "description"));
        b.partitionKeys(texts(n.get("partitionKeys"))).primaryKey(texts(n.get("primaryKeys"))).comment(text(n, "comment"));
        if (n.has("options")) n.get("options").fields().forEachRemaining(e -> b.option(e.getKey(), e.getValue().asText()));
        catalog.createDatabase(id.getDatabaseName(), true);
        catalog.createTable(id, b.build(), false);
    }

    /** [{"op":"addColumn","name":"a.b","type":…,"after"?|"first"?}, renameColumn name to, dropColumn name, updateType name type, …] */
    static void alter(Catalog catalog, Identifier id, String file) throws Exception {
        List<SchemaChange> changes = new ArrayList<>();
        for (JsonNode c : json(file)) {
            String name = text(c, "name");
            String[] path = name == null ? null : name.split("\\.");
            switch (text(c, "op")) {
                case "addColumn": {
                    SchemaChange.Move move = c.has("after") ? SchemaChange.Move.after(path[path.length - 1], text(c, "after"))
                            : c.has("first") ? SchemaChange.Move.first(path[path.length - 1]) : null;
                    changes.add(SchemaChange.addColumn(path, DataTypeJsonParser.parseDataType(c.get("type")), text(c, "description"), move));
                    break;
                }
                case "renameColumn": changes.add(SchemaChange.renameColumn(path, text(c, "to"))); break;
                case "dropColumn": changes.add(SchemaChange.dropColumn(path)); break;
                case "updateType": changes.add(SchemaChange.updateColumnType(path, DataTypeJsonParser.parseDataType(c.get("type")), true)); break;
                case "updateNullability": changes.add(SchemaChange.updateColumnNullability(path, c.get("nullable").asBoolean())); break;
                case "setOption": changes.add(SchemaChange.setOption(text(c, "key"), text(c, "value"))); break;
                case "removeOption": changes.add(SchemaChange.removeOption(text(c, "key"))); break;
                default: throw new IllegalArgumentException("op " + text(c, "op"));
            }
        }
        catalog.alterTable(id, changes, false);
    }

    /** Rows as JSON lines in the encoding of Rows.java, `_kind` optional; one commit. `overwrite`: "" whole, or "p=v,q=w". */
    static void write(FileStoreTable table, String file, String overwrite) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        if (overwrite != null) {
            Map<String, String> partition = new LinkedHashMap<>();
            for (String p : overwrite.split(",")) if (!p.isEmpty()) partition.put(p.substring(0, p.indexOf('=')), p.substring(p.indexOf('=') + 1));
            builder = builder.withOverwrite(partition);
        }
        RowType type = table.rowType();
        boolean dynamic = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        try (IOManager io = Oracle.io(); BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit();
                BufferedReader reader = Files.newBufferedReader(Paths.get(file), StandardCharsets.UTF_8)) {
            write.withIOManager(io);
            HashBucketAssigner assigner = dynamic ? assigner(table) : null;
            RowPartitionKeyExtractor keys = dynamic ? new RowPartitionKeyExtractor(table.schema()) : null;
            for (String line; (line = reader.readLine()) != null; ) {
                if (line.isEmpty()) continue;
                InternalRow row = row(JSON.readTree(line), type);
                if (dynamic) write.write(row, assigner.assign(keys.partition(row), keys.trimmedPrimaryKey(row).hashCode()));
                else write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    static HashBucketAssigner assigner(FileStoreTable table) {
        CoreOptions o = table.coreOptions();
        return new HashBucketAssigner(table.snapshotManager(), "oracle", table.store().newIndexFileHandler(), 1, 1, 0,
                o.dynamicBucketTargetRowNum(), o.dynamicBucketMaxBuckets());
    }

    /** Every bucket of the newest snapshot, or the small files of an unaware-bucket append table. */
    static void compact(FileStoreTable table, boolean full) throws Exception {
        FileStoreTable t = table.copy(Collections.singletonMap("write-only", "false"));
        if (t.bucketMode() == BucketMode.BUCKET_UNAWARE) {
            List<CommitMessage> messages = new ArrayList<>();
            AppendOnlyFileStore store = (AppendOnlyFileStore) t.store();
            for (AppendCompactTask task : new AppendCompactCoordinator(t, false).run()) messages.add(task.doCompact(t, store.newWrite("oracle")));
            try (TableCommitImpl commit = t.newCommit("oracle")) {
                commit.commit(messages);
            }
            return;
        }
        BatchWriteBuilder builder = t.newBatchWriteBuilder();
        try (IOManager io = Oracle.io(); BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(io);
            Set<List<Object>> seen = new HashSet<>();
            for (DataSplit s : t.newSnapshotReader().read().dataSplits()) {
                if (seen.add(Arrays.asList(s.partition(), s.bucket()))) write.compact(s.partition(), s.bucket(), full);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Rows that match: −D records on primary-key tables, deletion vectors on unaware-bucket append tables that have them on. */
    static void delete(FileStoreTable table, Map<String, String> opts) throws Exception {
        Predicate predicate = Oracle.predicate(table.rowType(), opts.get("@filter"));
        if (!table.primaryKeys().isEmpty()) {
            deleteByKey(table, predicate);
            return;
        }
        if (table.bucketMode() != BucketMode.BUCKET_UNAWARE || !table.coreOptions().deletionVectorsEnabled()) {
            throw new UnsupportedOperationException("delete wants a primary key, or deletion vectors and bucket -1");
        }
        Snapshot snapshot = table.snapshotManager().latestSnapshot();
        boolean wide = table.coreOptions().deletionVectorBitmap64();
        Map<BinaryRow, BaseAppendDeleteFileMaintainer> maintainers = new LinkedHashMap<>();
        ReadBuilder rb = table.newReadBuilder().withFilter(predicate);
        for (DataSplit split : table.newSnapshotReader().withFilter(predicate).read().dataSplits()) {
            Map<String, DeletionVector> deleted = new LinkedHashMap<>();
            try (RecordReader<InternalRow> reader = rb.newRead().createReader(split)) {
                for (RecordReader.RecordIterator<InternalRow> batch; (batch = reader.readBatch()) != null; batch.releaseBatch()) {
                    FileRecordIterator<InternalRow> rows = (FileRecordIterator<InternalRow>) batch;
                    for (InternalRow row; (row = rows.next()) != null; ) {
                        if (predicate.test(row)) {
                            deleted.computeIfAbsent(rows.filePath().getName(), f -> wide ? new Bitmap64DeletionVector() : new BitmapDeletionVector())
                                    .delete(rows.returnedPosition());
                        }
                    }
                }
            }
            BaseAppendDeleteFileMaintainer m = maintainers.computeIfAbsent(split.partition(),
                    p -> BaseAppendDeleteFileMaintainer.forUnawareAppend(table.store().newIndexFileHandler(), snapshot, p));
            deleted.forEach(m::notifyNewDeletionVector);
        }
        List<CommitMessage> messages = new ArrayList<>();
        for (BaseAppendDeleteFileMaintainer m : maintainers.values()) {
            List<IndexFileMeta> added = new ArrayList<>(), removed = new ArrayList<>();
            for (IndexManifestEntry e : m.persist()) (e.kind() == FileKind.ADD ? added : removed).add(e.indexFile());
            messages.add(new CommitMessageImpl(m.getPartition(), m.getBucket(), null,
                    new DataIncrement(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), added, removed), CompactIncrement.emptyIncrement()));
        }
        try (TableCommitImpl commit = table.newCommit("oracle")) {
            commit.commit(messages);
        }
    }

    static void deleteByKey(FileStoreTable table, Predicate predicate) throws Exception {
        List<InternalRow> rows = new ArrayList<>();
        ReadBuilder rb = table.newReadBuilder();
        InternalRow.FieldGetter[] getters = new InternalRow.FieldGetter[table.rowType().getFieldCount()];
        for (int i = 0; i < getters.length; i++) getters[i] = InternalRow.createFieldGetter(table.rowType().getTypeAt(i), i);
        try (IOManager io = Oracle.io(); RecordReader<InternalRow> reader = rb.newRead().withIOManager(io).createReader(rb.newScan().plan())) {
            reader.forEachRemaining(row -> {
                if (!predicate.test(row)) return;
                GenericRow copy = new GenericRow(RowKind.DELETE, getters.length);
                for (int i = 0; i < getters.length; i++) copy.setField(i, org.apache.paimon.utils.InternalRowUtils.copy(getters[i].getFieldOrNull(row), table.rowType().getTypeAt(i)));
                rows.add(copy);
            });
        }
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (IOManager io = Oracle.io(); BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(io);
            for (InternalRow row : rows) write.write(row);
            commit.commit(write.prepareCommit());
        }
    }

    static InternalRow row(JsonNode n, RowType type) {
        GenericRow row = new GenericRow(type.getFieldCount());
        if (n.has("_kind")) row.setRowKind(RowKind.fromShortString(n.get("_kind").asText()));
        for (int i = 0; i < type.getFieldCount(); i++) row.setField(i, value(n.get(type.getFields().get(i).name()), type.getTypeAt(i)));
        return row;
    }

    static Object value(JsonNode n, DataType t) {
        if (n == null || n.isNull()) return null;
        switch (t.getTypeRoot().name()) {
            case "BOOLEAN": return n.asBoolean();
            case "TINYINT": return (byte) n.asInt();
            case "SMALLINT": return (short) n.asInt();
            case "INTEGER": case "DATE": case "TIME_WITHOUT_TIME_ZONE": return n.asInt();
            case "BIGINT": return n.asLong();
            case "FLOAT": return Float.parseFloat(n.asText());
            case "DOUBLE": return Double.parseDouble(n.asText());
            case "DECIMAL": {
                DecimalType d = (DecimalType) t;
                return Decimal.fromBigDecimal(new BigDecimal(n.asText()), d.getPrecision(), d.getScale());
            }
            case "CHAR": case "VARCHAR": return BinaryString.fromString(n.asText());
            case "BINARY": case "VARBINARY": case "GEOMETRY": case "GEOGRAPHY": return unhex(n.asText());
            case "TIMESTAMP_WITHOUT_TIME_ZONE": case "TIMESTAMP_WITH_LOCAL_TIME_ZONE": {
                BigInteger[] parts = new BigInteger(n.asText()).divideAndRemainder(BigInteger.valueOf(1_000_000));
                long millis = parts[0].longValueExact();
                int nanos = parts[1].intValueExact();
                return nanos < 0 ? Timestamp.fromEpochMillis(millis - 1, nanos + 1_000_000) : Timestamp.fromEpochMillis(millis, nanos);
            }
            case "VARIANT": return n.isObject() && n.has("value") ? new GenericVariant(unhex(text(n, "value")), unhex(text(n, "metadata")))
                    : GenericVariant.fromJson(n.toString());
            case "ARRAY": return new GenericArray(values(n, ((ArrayType) t).getElementType()));
            case "MAP": return map(n, ((MapType) t).getKeyType(), ((MapType) t).getValueType());
            case "MULTISET": return map(n, ((MultisetType) t).getElementType(), DataTypes.INT());
            case "ROW": return row(n, (RowType) t);
            default: throw new UnsupportedOperationException(t.toString());
        }
    }

    static Object[] values(JsonNode n, DataType element) {
        Object[] out = new Object[n.size()];
        for (int i = 0; i < out.length; i++) out[i] = value(n.get(i), element);
        return out;
    }

    static GenericMap map(JsonNode n, DataType key, DataType value) {
        Map<Object, Object> out = new LinkedHashMap<>();
        for (JsonNode pair : n) out.put(value(pair.get(0), key), value(pair.get(1), value));
        return new GenericMap(out);
    }

    static byte[] unhex(String s) {
        byte[] out = new byte[s.length() / 2];
        for (int i = 0; i < out.length; i++) out[i] = (byte) Integer.parseInt(s.substring(2 * i, 2 * i + 2), 16);
        return out;
    }
}
