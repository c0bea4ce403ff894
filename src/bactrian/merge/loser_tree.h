#pragma once

#include <utility>
#include <vector>

namespace bactrian {

/// A tournament tree of losers over `num_streams` streams (Knuth, TAOCP 3, §5.4.1). `Less(a, b)` orders the heads of streams a
/// and b and must put exhausted streams last.
template <typename Less>
class LoserTree {
 public:
  LoserTree(int num_streams, Less less) : less_(std::move(less)), tree_(num_streams, kNone) {
    for (int i = num_streams - 1; i >= 0; --i) Insert(i);
  }

  int winner() const { return tree_[0]; }

  /// Restores the tree after the winner's head moved on.
  void Replay() {
    int candidate = tree_[0];
    for (int node = Parent(candidate); node > 0; node /= 2) {
      if (less_(tree_[node], candidate)) std::swap(candidate, tree_[node]);
    }
    tree_[0] = candidate;
  }

  /// The stream that would win without the winner; -1 when there is none.
  int RunnerUp() const {
    int best = kNone;
    for (int node = Parent(tree_[0]); node > 0; node /= 2) {
      if (best == kNone || less_(tree_[node], best)) best = tree_[node];
    }
    return best;
  }

 private:
  static constexpr int kNone = -1;
  int Parent(int stream) const { return (stream + static_cast<int>(tree_.size())) / 2; }
  void Insert(int stream) {
    int candidate = stream;
    for (int node = Parent(stream); node > 0; node /= 2) {
      if (tree_[node] == kNone) {
        tree_[node] = candidate;
        return;
      }
      if (less_(tree_[node], candidate)) std::swap(candidate, tree_[node]);
    }
    tree_[0] = candidate;
  }

  Less less_;
  std::vector<int> tree_;
};

}  // namespace bactrian
