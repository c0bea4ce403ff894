// Nothing of its own: opening this library opens the engine and a DuckDB for it in one scope (its NEEDED entries).
extern "C" __attribute__((visibility("default"))) const char kPaimonStandalone[] =
    "Paimon for a DuckDB that exports no symbols";
