#include "bactrian/base/cache.h"

#include <algorithm>

namespace bactrian {

ShardedLruCache::ShardedLruCache(int64_t capacity_bytes, int num_shards)
    : shard_capacity_(capacity_bytes / std::max(num_shards, 1)), shards_(std::max(num_shards, 1)) {}

std::shared_ptr<const void> ShardedLruCache::GetErased(std::string_view key, std::type_index type) {
  Shard& shard = ShardOf(key);
  std::lock_guard lock(shard.mutex);
  auto found = shard.index.find(key);
  if (found == shard.index.end() || found->second->type != type) return nullptr;
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return found->second->object;
}

void ShardedLruCache::PutErased(std::string_view key, std::type_index type, std::shared_ptr<const void> object, int64_t bytes) {
  bytes += static_cast<int64_t>(key.size() + sizeof(Entry));
  Shard& shard = ShardOf(key);
  std::list<Entry> dropped;  // destroyed after the lock is released
  std::lock_guard lock(shard.mutex);
  auto drop = [&](std::list<Entry>::iterator entry) {
    shard.bytes -= entry->bytes;
    shard.index.erase(entry->key);
    dropped.splice(dropped.begin(), shard.entries, entry);
  };
  if (auto found = shard.index.find(key); found != shard.index.end()) drop(found->second);
  if (bytes > shard_capacity_) return;
  while (shard.bytes + bytes > shard_capacity_) drop(std::prev(shard.entries.end()));
  shard.entries.push_front(Entry{std::string(key), type, std::move(object), bytes});
  shard.index.emplace(shard.entries.front().key, shard.entries.begin());
  shard.bytes += bytes;
}

int64_t ShardedLruCache::bytes() const {
  int64_t total = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    total += shard.bytes;
  }
  return total;
}

}  // namespace bactrian
