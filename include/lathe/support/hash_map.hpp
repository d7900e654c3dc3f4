// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Hash tables that are cheap to compile (a `std::unordered_map` costs two hundred functions a kind in every file that uses Lathe
/// header-only) and are walked in the order of insertion, so that no output can depend on addresses. References to entries stay
/// valid until these are erased.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lathe/support/node_set.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Hashes of keys; further types of keys overload it beside their definition.
inline std::size_t key_hash(const void *identity) { return reinterpret_cast<std::size_t>(identity); }
inline std::size_t key_hash(std::int64_t number) { return static_cast<std::size_t>(number); }
inline std::size_t key_hash(std::string_view text) { return std::hash<std::string_view>()(text); }

/// What entries of every kind have: their places in a bucket and in the order of insertion.
struct HashEntry {
  HashEntry *in_bucket = nullptr;
  HashEntry *previous = nullptr, *next = nullptr;
  std::size_t hash = 0;
};

/// The buckets and the memory of entries, compiled once. Small tables have one bucket; entries lie in blocks.
class HashTable {
 public:
  HashTable() = default;
  HashTable(const HashTable &) = delete;
  HashTable &operator=(const HashTable &) = delete;
  ~HashTable() { reset(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 protected:
  /// The first entry that may have this hash; the others follow `in_bucket`.
  HashEntry *candidates(std::size_t hash) const { return many_ ? many_[bucket(hash)] : single_; }
  HashEntry *first() const { return first_; }

  /// Memory for an entry of `bytes`, which are the same in each call.
  void *new_memory(std::size_t bytes) {
    if (free_) return pop(free_);
    if (unused_ == 0) {
      unused_ = size_ < 4 ? 4 : size_ < 64 ? size_ : 64;
      auto *const block = static_cast<Free *>(::operator new(block_header + unused_ * bytes));
      block->next = blocks_;
      blocks_ = block;
      next_memory_ = reinterpret_cast<unsigned char *>(block) + block_header;
    }
    --unused_;
    void *const memory = next_memory_;
    next_memory_ += bytes;
    return memory;
  }
  /// Takes the memory of an entry that is not linked and was destroyed.
  void reuse_memory(void *memory) { free_ = ::new (memory) Free{free_}; }

  void link(HashEntry *entry, std::size_t hash) {
    entry->hash = hash;
    entry->previous = last_;
    (last_ ? last_->next : first_) = entry;
    last_ = entry;
    if (++size_ > (many_ ? std::size_t{1} << bits_ : most_in_single))
      grow();
    else
      put(entry);
  }
  void unlink(HashEntry *entry) {
    HashEntry **at = many_ ? &many_[bucket(entry->hash)] : &single_;
    while (*at != entry) at = &(*at)->in_bucket;
    *at = entry->in_bucket;
    (entry->previous ? entry->previous->next : first_) = entry->next;
    (entry->next ? entry->next->previous : last_) = entry->previous;
    --size_;
  }
  template <class Entry>
  static Entry *present(Entry *entry) {
    if (!entry) throw std::out_of_range("lathe::HashMap::at: the key is not there");
    return entry;
  }
  void swap(HashTable &other) noexcept {
    unsigned char kept[sizeof(HashTable)];
    std::memcpy(kept, static_cast<const void *>(this), sizeof kept);
    std::memcpy(static_cast<void *>(this), static_cast<const void *>(&other), sizeof kept);
    std::memcpy(static_cast<void *>(&other), kept, sizeof kept);
  }
  /// Forgets all entries, which were destroyed.
  void reset() {
    delete[] many_;
    while (blocks_) ::operator delete(pop(blocks_));
    ::new (static_cast<void *>(this)) HashTable();
  }

 private:
  /// Memory in a chain.
  struct Free {
    Free *next;
  };
  static constexpr std::size_t block_header = 16;  // keeps entries aligned
  static constexpr std::size_t most_in_single = 8;

  static void *pop(Free *&chain) {
    Free *const top = chain;
    chain = top->next;
    return top;
  }
  /// The top bits of a product with the golden ratio: addresses differ in few of their own.
  std::size_t bucket(std::size_t hash) const { return hash * 0x9e3779b97f4a7c15u >> (64 - bits_); }
  void put(HashEntry *entry) {
    HashEntry *&head = many_ ? many_[bucket(entry->hash)] : single_;
    entry->in_bucket = head;
    head = entry;
  }
  void grow() {
    delete[] many_;
    many_ = nullptr;
    ++bits_;
    many_ = new HashEntry *[std::size_t{1} << bits_] {};
    for (HashEntry *entry = first_; entry; entry = entry->next) put(entry);
  }

  HashEntry *single_ = nullptr;  ///< the bucket of a small table
  HashEntry **many_ = nullptr;   ///< instead of it
  int bits_ = 3;                 ///< of the number of buckets, if many
  std::size_t size_ = 0;
  HashEntry *first_ = nullptr, *last_ = nullptr;
  Free *blocks_ = nullptr, *free_ = nullptr;
  unsigned char *next_memory_ = nullptr;  ///< in the last block
  std::size_t unused_ = 0;                ///< entries that fit there
};

/// From keys to values.
template <class Key, class Value>
class HashMap : public HashTable {
 public:
  struct Entry : HashEntry {
    Key first;
    Value second;
    Entry(Key key, Value value) : first(static_cast<Key &&>(key)), second(static_cast<Value &&>(value)) {}
    Entry *next_entry() const { return static_cast<Entry *>(this->next); }
  };
  template <class Item>
  struct Iterator {
    Item *at;
    Item &operator*() const { return *at; }
    Iterator &operator++() {
      at = at->next_entry();
      return *this;
    }
    friend bool operator!=(const Iterator &a, const Iterator &b) { return a.at != b.at; }
  };
  struct Insertion {
    Entry *first;  ///< the entry of the key
    bool second;   ///< whether it is new
  };

  HashMap() = default;
  HashMap(std::initializer_list<Entry> entries) : HashMap() {
    for (const Entry &entry : entries) emplace(entry.first, entry.second);
  }
  HashMap(const HashMap &other) : HashMap() {
    for (const Entry &entry : other) add(entry.first, entry.second, entry.hash);
  }
  HashMap(HashMap &&other) noexcept : HashMap() { swap(other); }
  HashMap &operator=(HashMap other) noexcept {
    swap(other);
    return *this;
  }
  ~HashMap() { clear(); }

  Iterator<Entry> begin() { return {static_cast<Entry *>(first())}; }
  Iterator<Entry> end() { return {nullptr}; }
  Iterator<const Entry> begin() const { return {static_cast<const Entry *>(first())}; }
  Iterator<const Entry> end() const { return {nullptr}; }

  /// The entry of `key`, or null.
  template <class Like>
  Entry *find(const Like &key) {
    return find(key, key_hash(key));
  }
  template <class Like>
  const Entry *find(const Like &key) const {
    return find(key, key_hash(key));
  }
  template <class Like>
  bool contains(const Like &key) const {
    return find(key, key_hash(key)) != nullptr;
  }
  /// The value of a key that is there.
  Value &at(const Key &key) { return present(find(key, key_hash(key)))->second; }
  const Value &at(const Key &key) const { return present(find(key, key_hash(key)))->second; }
  /// The value of `key`; a new one if it is not there yet.
  Value &operator[](const Key &key) {
    const std::size_t hash = key_hash(key);
    Entry *entry = find(key, hash);
    return entry ? entry->second : add(key, Value(), hash)->second;
  }
  /// Adds an entry if `key` has none.
  Insertion emplace(Key key, Value value) {
    const std::size_t hash = key_hash(key);
    if (Entry *known = find(key, hash)) return {known, false};
    return {add(static_cast<Key &&>(key), static_cast<Value &&>(value), hash), true};
  }
  /// Adds an entry, or gives the one that `key` has this value.
  Value &insert_or_assign(const Key &key, Value value) { return (*this)[key] = static_cast<Value &&>(value); }
  bool erase(const Key &key) {
    Entry *entry = find(key, key_hash(key));
    if (!entry) return false;
    unlink(entry);
    entry->~Entry();
    reuse_memory(entry);
    return true;
  }
  void clear() {
    for (Entry *entry = static_cast<Entry *>(first()); entry;) {
      Entry *const next = entry->next_entry();
      entry->~Entry();
      entry = next;
    }
    reset();
  }

 private:
  Entry *add(Key key, Value value, std::size_t hash) {
    static_assert(alignof(Entry) <= 16);
    auto *entry = ::new (new_memory(sizeof(Entry))) Entry(static_cast<Key &&>(key), static_cast<Value &&>(value));
    link(entry, hash);
    return entry;
  }
  template <class Like>
  Entry *find(const Like &key, std::size_t hash) const {
    for (HashEntry *entry = candidates(hash); entry; entry = entry->in_bucket)
      if (entry->hash == hash && static_cast<Entry *>(entry)->first == key) return static_cast<Entry *>(entry);
    return nullptr;
  }
};

/// Keys alone.
template <class Key>
class HashSet {
 public:
  std::size_t size() const { return keys_.size(); }
  bool empty() const { return keys_.empty(); }
  template <class Like>
  bool contains(const Like &key) const {
    return keys_.contains(key);
  }
  /// Whether `key` is new.
  bool insert(Key key) { return keys_.emplace(static_cast<Key &&>(key), Nothing{}).second; }
  bool erase(const Key &key) { return keys_.erase(key); }
  void clear() { keys_.clear(); }

 private:
  struct Nothing {};
  HashMap<Key, Nothing> keys_;
};

/// By the identity of nodes of any kind.
template <class Value>
using NodeMap = HashMap<const void *, Value>;

}  // namespace lathe::inline LATHE_ABI
