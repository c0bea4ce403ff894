/// A cache of parsed immutable objects, charged by bytes.
///
///   auto manifest = cache.Get<Manifest>(path);
///   if (!manifest) cache.Put(path, manifest = Parse(path), bytes_of(*manifest));
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace bactrian {

/// Sharded LRU. Thread-safe. A key names one object of one type: asked for another type it is not found. What a caller holds
/// stays alive after its eviction.
class ShardedLruCache {
 public:
  explicit ShardedLruCache(int64_t capacity_bytes, int num_shards = 16);

  template <typename T>
  std::shared_ptr<const T> Get(std::string_view key) {
    return std::static_pointer_cast<const T>(GetErased(key, typeid(T)));
  }
  /// Replaces what the key held. An object larger than a shard's share is not kept. `bytes` is a rough size; the key is added.
  template <typename T>
  void Put(std::string_view key, std::shared_ptr<const T> object, int64_t bytes) {
    PutErased(key, typeid(T), std::move(object), bytes);
  }
  int64_t bytes() const;  ///< charged now

 private:
  struct Entry {
    std::string key;
    std::type_index type;
    std::shared_ptr<const void> object;
    int64_t bytes;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::list<Entry> entries;                                                ///< most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> index;  ///< keys point into entries
    int64_t bytes = 0;
  };

  std::shared_ptr<const void> GetErased(std::string_view key, std::type_index type);
  void PutErased(std::string_view key, std::type_index type, std::shared_ptr<const void> object, int64_t bytes);
  Shard& ShardOf(std::string_view key) { return shards_[std::hash<std::string_view>{}(key) % shards_.size()]; }

  int64_t shard_capacity_;
  std::vector<Shard> shards_;
};

}  // namespace bactrian
