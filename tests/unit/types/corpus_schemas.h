/// Schema files as the Java reference wrote them (from the interop corpora), for tests that compare text byte for byte.
#pragma once

namespace bactrian::corpus {

inline constexpr char kAllTypes[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "INT"
  }, {
    "id" : 1,
    "name" : "f_bool",
    "type" : "BOOLEAN"
  }, {
    "id" : 2,
    "name" : "f_tiny",
    "type" : "TINYINT"
  }, {
    "id" : 3,
    "name" : "f_small",
    "type" : "SMALLINT"
  }, {
    "id" : 4,
    "name" : "f_int",
    "type" : "INT"
  }, {
    "id" : 5,
    "name" : "f_big",
    "type" : "BIGINT"
  }, {
    "id" : 6,
    "name" : "f_float",
    "type" : "FLOAT"
  }, {
    "id" : 7,
    "name" : "f_double",
    "type" : "DOUBLE"
  }, {
    "id" : 8,
    "name" : "f_dec5",
    "type" : "DECIMAL(5, 2)"
  }, {
    "id" : 9,
    "name" : "f_dec9",
    "type" : "DECIMAL(9, 3)"
  }, {
    "id" : 10,
    "name" : "f_dec18",
    "type" : "DECIMAL(18, 6)"
  }, {
    "id" : 11,
    "name" : "f_dec38",
    "type" : "DECIMAL(38, 18)"
  }, {
    "id" : 12,
    "name" : "f_char",
    "type" : "CHAR(10)"
  }, {
    "id" : 13,
    "name" : "f_varchar",
    "type" : "VARCHAR(20)"
  }, {
    "id" : 14,
    "name" : "f_string",
    "type" : "STRING"
  }, {
    "id" : 15,
    "name" : "f_binary",
    "type" : "BINARY(8)"
  }, {
    "id" : 16,
    "name" : "f_varbinary",
    "type" : "VARBINARY(20)"
  }, {
    "id" : 17,
    "name" : "f_bytes",
    "type" : "BYTES"
  }, {
    "id" : 18,
    "name" : "f_date",
    "type" : "DATE"
  }, {
    "id" : 19,
    "name" : "f_time0",
    "type" : "TIME(0)"
  }, {
    "id" : 20,
    "name" : "f_time3",
    "type" : "TIME(3)"
  }, {
    "id" : 21,
    "name" : "f_ts0",
    "type" : "TIMESTAMP(0)"
  }, {
    "id" : 22,
    "name" : "f_ts3",
    "type" : "TIMESTAMP(3)"
  }, {
    "id" : 23,
    "name" : "f_ts6",
    "type" : "TIMESTAMP(6)"
  }, {
    "id" : 24,
    "name" : "f_ltz0",
    "type" : "TIMESTAMP(0) WITH LOCAL TIME ZONE"
  }, {
    "id" : 25,
    "name" : "f_ltz3",
    "type" : "TIMESTAMP(3) WITH LOCAL TIME ZONE"
  }, {
    "id" : 26,
    "name" : "f_ltz6",
    "type" : "TIMESTAMP(6) WITH LOCAL TIME ZONE"
  }, {
    "id" : 27,
    "name" : "f_ts9",
    "type" : "TIMESTAMP(9)"
  }, {
    "id" : 28,
    "name" : "f_ltz9",
    "type" : "TIMESTAMP(9) WITH LOCAL TIME ZONE"
  }, {
    "id" : 29,
    "name" : "f_arr",
    "type" : {
      "type" : "ARRAY",
      "element" : "INT"
    }
  }, {
    "id" : 30,
    "name" : "f_arrstr",
    "type" : {
      "type" : "ARRAY",
      "element" : "STRING"
    }
  }, {
    "id" : 31,
    "name" : "f_arrdec",
    "type" : {
      "type" : "ARRAY",
      "element" : "DECIMAL(20, 4)"
    }
  }, {
    "id" : 32,
    "name" : "f_arrts",
    "type" : {
      "type" : "ARRAY",
      "element" : "TIMESTAMP(6)"
    }
  }, {
    "id" : 33,
    "name" : "f_map",
    "type" : {
      "type" : "MAP",
      "key" : "STRING",
      "value" : "INT"
    }
  }, {
    "id" : 34,
    "name" : "f_mapint",
    "type" : {
      "type" : "MAP",
      "key" : "INT",
      "value" : "STRING"
    }
  }, {
    "id" : 35,
    "name" : "f_row",
    "type" : {
      "type" : "ROW",
      "fields" : [ {
        "id" : 36,
        "name" : "a",
        "type" : "INT"
      }, {
        "id" : 37,
        "name" : "b",
        "type" : "STRING"
      }, {
        "id" : 38,
        "name" : "c",
        "type" : "DECIMAL(10, 2)"
      } ]
    }
  }, {
    "id" : 39,
    "name" : "f_nested",
    "type" : {
      "type" : "ARRAY",
      "element" : {
        "type" : "ROW",
        "fields" : [ {
          "id" : 40,
          "name" : "x",
          "type" : "INT"
        }, {
          "id" : 41,
          "name" : "y",
          "type" : {
            "type" : "MAP",
            "key" : "STRING",
            "value" : {
              "type" : "ARRAY",
              "element" : "BIGINT"
            }
          }
        } ]
      }
    }
  }, {
    "id" : 42,
    "name" : "f_arrarr",
    "type" : {
      "type" : "ARRAY",
      "element" : {
        "type" : "ARRAY",
        "element" : "DOUBLE"
      }
    }
  }, {
    "id" : 43,
    "name" : "f_mapmap",
    "type" : {
      "type" : "MAP",
      "key" : "STRING",
      "value" : {
        "type" : "MAP",
        "key" : "STRING",
        "value" : "BOOLEAN"
      }
    }
  }, {
    "id" : 44,
    "name" : "f_multiset",
    "type" : {
      "type" : "MULTISET",
      "element" : "STRING"
    }
  } ],
  "highestFieldId" : 44,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "bucket" : "-1",
    "file.format" : "parquet"
  },
  "timeMillis" : 1796060197284
})json";

inline constexpr char kNotNullKeys[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "INT NOT NULL"
  }, {
    "id" : 1,
    "name" : "f_bool",
    "type" : "BOOLEAN NOT NULL"
  }, {
    "id" : 2,
    "name" : "f_tiny",
    "type" : "TINYINT NOT NULL"
  }, {
    "id" : 3,
    "name" : "f_small",
    "type" : "SMALLINT NOT NULL"
  }, {
    "id" : 4,
    "name" : "f_int",
    "type" : "INT NOT NULL"
  }, {
    "id" : 5,
    "name" : "f_big",
    "type" : "BIGINT NOT NULL"
  }, {
    "id" : 6,
    "name" : "f_float",
    "type" : "FLOAT NOT NULL"
  }, {
    "id" : 7,
    "name" : "f_double",
    "type" : "DOUBLE NOT NULL"
  }, {
    "id" : 8,
    "name" : "f_dec5",
    "type" : "DECIMAL(5, 2) NOT NULL"
  }, {
    "id" : 9,
    "name" : "f_dec9",
    "type" : "DECIMAL(9, 3) NOT NULL"
  }, {
    "id" : 10,
    "name" : "f_dec18",
    "type" : "DECIMAL(18, 6) NOT NULL"
  }, {
    "id" : 11,
    "name" : "f_dec38",
    "type" : "DECIMAL(38, 18) NOT NULL"
  }, {
    "id" : 12,
    "name" : "f_char",
    "type" : "CHAR(10) NOT NULL"
  }, {
    "id" : 13,
    "name" : "f_varchar",
    "type" : "VARCHAR(20) NOT NULL"
  }, {
    "id" : 14,
    "name" : "f_string",
    "type" : "STRING NOT NULL"
  }, {
    "id" : 15,
    "name" : "f_binary",
    "type" : "BINARY(8) NOT NULL"
  }, {
    "id" : 16,
    "name" : "f_varbinary",
    "type" : "VARBINARY(20) NOT NULL"
  }, {
    "id" : 17,
    "name" : "f_bytes",
    "type" : "BYTES NOT NULL"
  }, {
    "id" : 18,
    "name" : "f_date",
    "type" : "DATE NOT NULL"
  }, {
    "id" : 19,
    "name" : "f_time0",
    "type" : "TIME(0) NOT NULL"
  }, {
    "id" : 20,
    "name" : "f_time3",
    "type" : "TIME(3) NOT NULL"
  }, {
    "id" : 21,
    "name" : "f_ts0",
    "type" : "TIMESTAMP(0) NOT NULL"
  }, {
    "id" : 22,
    "name" : "f_ts3",
    "type" : "TIMESTAMP(3) NOT NULL"
  }, {
    "id" : 23,
    "name" : "f_ts6",
    "type" : "TIMESTAMP(6) NOT NULL"
  }, {
    "id" : 24,
    "name" : "f_ltz0",
    "type" : "TIMESTAMP(0) WITH LOCAL TIME ZONE NOT NULL"
  }, {
    "id" : 25,
    "name" : "f_ltz3",
    "type" : "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL"
  }, {
    "id" : 26,
    "name" : "f_ltz6",
    "type" : "TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL"
  }, {
    "id" : 27,
    "name" : "f_ts9",
    "type" : "TIMESTAMP(9) NOT NULL"
  }, {
    "id" : 28,
    "name" : "f_ltz9",
    "type" : "TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL"
  }, {
    "id" : 29,
    "name" : "n",
    "type" : "INT"
  } ],
  "highestFieldId" : 29,
  "partitionKeys" : [ ],
  "primaryKeys" : [ "id", "f_bool", "f_tiny", "f_small", "f_int", "f_big", "f_float", "f_double", "f_dec5", "f_dec9", "f_dec18", "f_dec38", "f_char", "f_varchar", "f_string", "f_binary", "f_varbinary", "f_bytes", "f_date", "f_time0", "f_time3", "f_ts0", "f_ts3", "f_ts6", "f_ltz0", "f_ltz3", "f_ltz6", "f_ts9", "f_ltz9" ],
  "options" : {
    "bucket" : "1",
    "file.format" : "parquet"
  },
  "timeMillis" : 1796060198538
})json";

inline constexpr char kEvolved[] = R"json({
  "version" : 3,
  "id" : 20,
  "fields" : [ {
    "id" : 0,
    "name" : "k",
    "type" : "INT NOT NULL"
  }, {
    "id" : 1,
    "name" : "a",
    "type" : "BIGINT"
  }, {
    "id" : 2,
    "name" : "b",
    "type" : "INT"
  }, {
    "id" : 3,
    "name" : "c",
    "type" : "DOUBLE"
  }, {
    "id" : 4,
    "name" : "d",
    "type" : "DECIMAL(12, 4)"
  }, {
    "id" : 5,
    "name" : "r",
    "type" : {
      "type" : "ROW",
      "fields" : [ {
        "id" : 6,
        "name" : "x_renamed",
        "type" : "BIGINT"
      }, {
        "id" : 15,
        "name" : "z",
        "type" : "INT"
      } ]
    }
  }, {
    "id" : 8,
    "name" : "ar",
    "type" : {
      "type" : "ARRAY",
      "element" : "BIGINT"
    }
  }, {
    "id" : 9,
    "name" : "mp",
    "type" : {
      "type" : "MAP",
      "key" : "STRING",
      "value" : "BIGINT"
    }
  }, {
    "id" : 10,
    "name" : "ts",
    "type" : "TIMESTAMP(6)"
  }, {
    "id" : 11,
    "name" : "dt",
    "type" : "STRING"
  }, {
    "id" : 12,
    "name" : "e_renamed",
    "type" : "STRING",
    "defaultValue" : "dflt"
  }, {
    "id" : 16,
    "name" : "after_a",
    "type" : "STRING"
  }, {
    "id" : 13,
    "name" : "first_col",
    "type" : "INT",
    "description" : "a comment"
  } ],
  "highestFieldId" : 16,
  "partitionKeys" : [ ],
  "primaryKeys" : [ "k" ],
  "options" : {
    "bucket" : "1",
    "write-only" : "true",
    "file.format" : "orc"
  },
  "timeMillis" : 1796060217874
})json";

inline constexpr char kGeo[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "INT"
  }, {
    "id" : 1,
    "name" : "g",
    "type" : "GEOMETRY(OGC:CRS84)"
  }, {
    "id" : 2,
    "name" : "h",
    "type" : "GEOGRAPHY(OGC:CRS84, spherical)"
  } ],
  "highestFieldId" : 2,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "bucket" : "-1",
    "file.format" : "parquet"
  },
  "timeMillis" : 1796055891943
})json";

inline constexpr char kShreddedVariant[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "INT"
  }, {
    "id" : 1,
    "name" : "v",
    "type" : "VARIANT"
  } ],
  "highestFieldId" : 1,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "bucket" : "-1",
    "parquet.variant.shreddingSchema" : "{\"type\":\"ROW\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"ROW\",\"fields\":[{\"name\":\"age\",\"type\":\"BIGINT\"},{\"name\":\"city\",\"type\":\"VARCHAR\"},{\"name\":\"c\",\"type\":{\"type\":\"ARRAY\",\"element\":\"INT\"}}]}}]}"
  },
  "timeMillis" : 1796060223355
})json";

inline constexpr char kVectors[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "INT"
  }, {
    "id" : 1,
    "name" : "emb",
    "type" : {
      "type" : "VECTOR",
      "element" : "FLOAT",
      "length" : 4
    }
  }, {
    "id" : 2,
    "name" : "dbl",
    "type" : {
      "type" : "VECTOR",
      "element" : "DOUBLE",
      "length" : 2
    }
  }, {
    "id" : 3,
    "name" : "i8",
    "type" : {
      "type" : "VECTOR",
      "element" : "TINYINT",
      "length" : 3
    }
  } ],
  "highestFieldId" : 3,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "bucket" : "-1",
    "file.format" : "parquet"
  },
  "timeMillis" : 1796060223252
})json";

inline constexpr char kComment[] = R"json({
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "ID",
    "type" : "INT"
  }, {
    "id" : 1,
    "name" : "Name",
    "type" : "STRING"
  } ],
  "highestFieldId" : 1,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "bucket" : "-1"
  },
  "comment" : "a comment",
  "timeMillis" : 1796060226046
})json";

inline constexpr const char* kAllSchemas[] = {kAllTypes, kNotNullKeys, kEvolved, kGeo, kShreddedVariant, kVectors, kComment};

}  // namespace bactrian::corpus
