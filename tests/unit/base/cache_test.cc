#include "bactrian/base/cache.h"

#include <gtest/gtest.h>

namespace bactrian {
namespace {

TEST(ShardedLruCache, KeepsObjectsByKeyAndType) {
  ShardedLruCache cache(1 << 20);
  cache.Put<int>("a", std::make_shared<const int>(7), 4);
  ASSERT_NE(cache.Get<int>("a"), nullptr);
  EXPECT_EQ(*cache.Get<int>("a"), 7);
  EXPECT_EQ(cache.Get<double>("a"), nullptr);
  EXPECT_EQ(cache.Get<int>("b"), nullptr);
}

TEST(ShardedLruCache, DropsTheLeastRecentlyUsedWhenFull) {
  ShardedLruCache cache(3000, 1);
  for (int i = 0; i < 2; ++i) cache.Put<int>(std::to_string(i), std::make_shared<const int>(i), 1200);
  ASSERT_NE(cache.Get<int>("0"), nullptr);  // 1 is now the oldest
  cache.Put<int>("2", std::make_shared<const int>(2), 1200);
  EXPECT_NE(cache.Get<int>("0"), nullptr);
  EXPECT_EQ(cache.Get<int>("1"), nullptr);
  EXPECT_NE(cache.Get<int>("2"), nullptr);
  EXPECT_LE(cache.bytes(), 3000);
}

TEST(ShardedLruCache, DoesNotKeepWhatIsLargerThanItsShare) {
  ShardedLruCache cache(1000, 1);
  cache.Put<int>("a", std::make_shared<const int>(1), 100);
  cache.Put<int>("a", std::make_shared<const int>(2), 5000);
  EXPECT_EQ(cache.Get<int>("a"), nullptr);  // the old object must not answer for the new one
  EXPECT_EQ(cache.bytes(), 0);
}

TEST(ShardedLruCache, HeldObjectsOutliveTheirEviction) {
  ShardedLruCache cache(1000, 1);
  cache.Put<int>("a", std::make_shared<const int>(1), 500);
  std::shared_ptr<const int> held = cache.Get<int>("a");
  cache.Put<int>("b", std::make_shared<const int>(2), 500);
  EXPECT_EQ(cache.Get<int>("a"), nullptr);
  EXPECT_EQ(*held, 1);
}

}  // namespace
}  // namespace bactrian
