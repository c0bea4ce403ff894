#include "bactrian/table/system/option_order.h"

#include <set>

#include "bactrian/base/json.h"

namespace bactrian {

arrow::Result<std::vector<std::string>> OptionOrder(const SystemTableContext& context, int64_t schema_id,
                                                    const Options& options) {
  const std::string path = context.paths.SchemaFile(schema_id);
  ARROW_ASSIGN_OR_RAISE(const std::string text, context.store->ReadAll(path));
  ARROW_RETURN_NOT_OK(ParseJson(text, path).status());  // checks what the next line does not
  const auto document = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string_view> keys;
  std::set<std::string_view> seen;
  auto add = [&](std::string_view key) {
    if (seen.insert(key).second) keys.push_back(key);
  };
  if (auto stored = document.find("options"); stored != document.end() && stored->is_object()) {
    for (const auto& [key, value] : stored->items()) {
      if (auto option = options.find(key); option != options.end()) add(option->first);
    }
  }
  for (const auto& [key, value] : options) add(key);
  std::vector<std::string> order;
  for (size_t i : JavaHashMapOrder(keys)) order.emplace_back(keys[i]);
  return order;
}

}  // namespace bactrian
