// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace softfeb::congestion {

/// Leftist heaps (Crane 1972) over the entries 0…n − 1. push(), erase() and decreased() take O(log n) steps
/// in the worst case and do not allocate. The entries may form several disjoint heaps. The caller stores the
/// keys, and the root of each heap (kNone if the heap is empty). `less(a, b)` compares two entries.
class LeftistHeap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  LeftistHeap(std::size_t entries, std::pmr::memory_resource* memory) : nodes_(entries, memory) {}

  bool contains(std::uint32_t i) const { return nodes_[i].rank != 0; }

  /// Adds entry `i`, which must be in no heap.
  template <typename Less>
  void push(std::uint32_t& root, std::uint32_t i, Less&& less) {
    nodes_[i] = {.rank = 1};
    add(root, i, less);
  }

  /// Removes entry `i`, which must be in this heap. Does not read the entry's key.
  template <typename Less>
  void erase(std::uint32_t& root, std::uint32_t i, Less&& less) {
    const std::uint32_t rest = meld(nodes_[i].left, nodes_[i].right, less);
    replace(root, i, rest);
    nodes_[i] = {};
  }

  /// Call this after the key of entry `i` has become smaller.
  template <typename Less>
  void decreased(std::uint32_t& root, std::uint32_t i, Less&& less) {
    if (i == root) return;
    replace(root, i, kNone);
    nodes_[i].parent = kNone;
    add(root, i, less);
  }

  /// Appends the `count` smallest entries, or all entries if there are fewer, to `out` in ascending order.
  /// `frontier` is used as scratch space. Allocates nothing if `out` has room for `count` entries and
  /// `frontier` for `count` + 1.
  template <typename Less>
  void smallest(std::uint32_t root, std::size_t count, std::pmr::vector<std::uint32_t>& out,
                std::pmr::vector<std::uint32_t>& frontier, Less&& less) const {
    frontier.clear();
    if (root != kNone) frontier.push_back(root);
    for (; count != 0 && !frontier.empty(); --count) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < frontier.size(); ++k) {
        if (less(frontier[k], frontier[best])) best = k;
      }
      const Node& node = nodes_[frontier[best]];
      out.push_back(frontier[best]);
      frontier[best] = frontier.back();
      frontier.pop_back();
      if (node.left != kNone) frontier.push_back(node.left);
      if (node.right != kNone) frontier.push_back(node.right);
    }
  }

 private:
  /// `rank` is the length of the right spine; 0 if the node is in no heap. The left child's rank is never
  /// less than the right child's.
  struct Node {
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    std::uint32_t parent = kNone;
    std::uint32_t rank = 0;
  };

  std::uint32_t rank(std::uint32_t i) const { return i == kNone ? 0 : nodes_[i].rank; }

  template <typename Less>
  void add(std::uint32_t& root, std::uint32_t i, Less& less) {
    root = meld(root, i, less);
    nodes_[root].parent = kNone;
  }

  /// Merges two heaps along their right spines. The parent of the result is not set.
  template <typename Less>
  std::uint32_t meld(std::uint32_t a, std::uint32_t b, Less& less) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    if (less(b, a)) std::swap(a, b);
    const std::uint32_t right = meld(nodes_[a].right, b, less);
    nodes_[a].right = right;
    nodes_[right].parent = a;
    restore(nodes_[a]);
    return a;
  }

  /// Orders the children and computes the rank. Returns whether the rank changed.
  bool restore(Node& node) {
    if (rank(node.left) < rank(node.right)) std::swap(node.left, node.right);
    return std::exchange(node.rank, rank(node.right) + 1) != node.rank;
  }

  /// Replaces the subtree whose root is entry `i` with `by` (a heap, or kNone).
  void replace(std::uint32_t& root, std::uint32_t i, std::uint32_t by) {
    std::uint32_t parent = nodes_[i].parent;
    if (by != kNone) nodes_[by].parent = parent;
    if (parent == kNone) {
      root = by;
      return;
    }
    (nodes_[parent].left == i ? nodes_[parent].left : nodes_[parent].right) = by;
    while (parent != kNone && restore(nodes_[parent])) parent = nodes_[parent].parent;
  }

  std::pmr::vector<Node> nodes_;
};

}  // namespace softfeb::congestion
