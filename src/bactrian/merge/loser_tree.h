#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bactrian {

/// A tournament tree of losers (Knuth, TAOCP 3, §5.4.1) over streams whose heads compare by a number first, which the tree
/// keeps: most matches touch nothing else. `TieLess(a, b)` orders streams a and b where the numbers are equal. An exhausted
/// stream has the number kExhausted and must come last among those.
template <typename TieLess>
class LoserTree {
 public:
  static constexpr uint64_t kExhausted = UINT64_MAX;

  /// `heads` has the number of each stream's head; at least one stream.
  LoserTree(std::span<const uint64_t> heads, TieLess tie_less) : tie_less_(std::move(tie_less)), tree_(heads.size()) {
    for (int i = static_cast<int>(heads.size()) - 1; i >= 0; --i) Insert({heads[i], i});
  }

  int winner() const { return tree_[0].stream; }

  /// Restores the tree after the winner's head moved on to one with the number `head`.
  void Replay(uint64_t head) {
    Entry candidate{head, tree_[0].stream};
    for (int node = Parent(candidate.stream); node > 0; node /= 2) Play(&tree_[node], &candidate);
    tree_[0] = candidate;
  }

  /// The stream that would win without the winner; -1 when there is none.
  int RunnerUp() const {
    Entry best{0, kNone};
    for (int node = Parent(tree_[0].stream); node > 0; node /= 2) {
      if (best.stream == kNone || Less(tree_[node], best)) best = tree_[node];
    }
    return best.stream;
  }

 private:
  static constexpr int kNone = -1;
  struct Entry {
    uint64_t head = 0;
    int stream = kNone;
  };

  int Parent(int stream) const { return (stream + static_cast<int>(tree_.size())) / 2; }
  bool Less(const Entry& a, const Entry& b) const { return a.head != b.head ? a.head < b.head : tie_less_(a.stream, b.stream); }
  /// Leaves the loser in the node. Who wins is as good as random: no branch depends on it.
  void Play(Entry* node, Entry* candidate) const {
    const Entry a = *node, b = *candidate;
    const bool node_wins = a.head != b.head ? a.head < b.head : tie_less_(a.stream, b.stream);
    node->head = node_wins ? b.head : a.head;
    node->stream = node_wins ? b.stream : a.stream;
    candidate->head = node_wins ? a.head : b.head;
    candidate->stream = node_wins ? a.stream : b.stream;
  }
  void Insert(Entry candidate) {
    for (int node = Parent(candidate.stream); node > 0; node /= 2) {
      if (tree_[node].stream == kNone) {
        tree_[node] = candidate;
        return;
      }
      Play(&tree_[node], &candidate);
    }
    tree_[0] = candidate;
  }

  TieLess tie_less_;
  std::vector<Entry> tree_;
};

}  // namespace bactrian
