// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A growing array that is cheap to compile. Lathe holds a hundred kinds of elements in arrays, all of them compiled in every
/// file that uses Lathe header-only; without optimisation a `std::vector` costs some eighty functions a kind, a `List` about ten.

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// The memory of a list, compiled once. Owns no elements.
class ListMemory {
 public:
  ListMemory(const ListMemory &) = delete;
  ListMemory &operator=(const ListMemory &) = delete;

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

 protected:
  /// Moves an element of the list's kind to where there is none yet. Null where copying its bytes does that.
  using Move = void (*)(void *to, void *from);

  ListMemory() = default;
  ~ListMemory() { ::operator delete(memory_); }

  /// Where the next element belongs.
  void *next(std::size_t element_size, Move move) {
    if (size_ == capacity_) [[unlikely]]
      enlarge(capacity_ ? 2 * capacity_ : 4, element_size, move);
    return static_cast<char *>(memory_) + size_ * element_size;
  }
  void enlarge(std::size_t capacity, std::size_t element_size, Move move) {
    if (capacity <= capacity_) return;
    char *const to = static_cast<char *>(::operator new(capacity * element_size));
    char *const from = static_cast<char *>(memory_);
    if (move)
      for (std::size_t at = 0; at < size_ * element_size; at += element_size) move(to + at, from + at);
    else if (size_)
      std::memcpy(to, from, size_ * element_size);
    ::operator delete(memory_);
    memory_ = to;
    capacity_ = capacity;
  }
  void exchange(ListMemory &other) noexcept {
    void *const memory = memory_;
    const std::size_t size = size_, capacity = capacity_;
    memory_ = other.memory_, size_ = other.size_, capacity_ = other.capacity_;
    other.memory_ = memory, other.size_ = size, other.capacity_ = capacity;
  }
  std::size_t inside(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("lathe::List::at: no such element");
    return i;
  }

  void *memory_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Elements side by side, growing at the end: the interface and the rules of `std::vector`, with pointers as iterators, as far as
/// Lathe needs them. A `List<bool>` holds ordinary bools.
template <class T>
class List : public ListMemory {
 public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  List() = default;
  List(std::initializer_list<T> elements) : List() { append_all(elements.begin(), elements.size()); }
  explicit List(std::size_t size) : List() { resize(size); }
  List(std::size_t size, const T &value) : List() { resize(size, value); }
  /// Of the elements from `first` up to `last`.
  template <class Iterator>
    requires requires(Iterator i) { *i, ++i; }
  List(Iterator first, Iterator last) : List() {
    append(first, last);
  }
  /// Of the elements of another array: a `std::vector`, `std::array`, `std::span`.
  template <class Array>
    requires requires(const Array &array, const T *elements) { elements = array.data(), array.size(); }
  List(const Array &array) : List() {  // NOLINT: implicit, so that users may pass theirs
    append_all(array.data(), array.size());
  }
  List(const List &other) : List() { append_all(other.data(), other.size_); }
  List(List &&other) noexcept : List() { exchange(other); }
  List &operator=(List other) noexcept {
    exchange(other);
    return *this;
  }
  ~List() {
    if constexpr (!std::is_trivially_destructible_v<T>) shrink(0);
  }
  void swap(List &other) noexcept { exchange(other); }

  T *data() { return static_cast<T *>(memory_); }
  const T *data() const { return static_cast<const T *>(memory_); }
  T *begin() { return static_cast<T *>(memory_); }
  T *end() { return static_cast<T *>(memory_) + size_; }
  const T *begin() const { return static_cast<const T *>(memory_); }
  const T *end() const { return static_cast<const T *>(memory_) + size_; }
  T &operator[](std::size_t i) { return static_cast<T *>(memory_)[i]; }
  const T &operator[](std::size_t i) const { return static_cast<const T *>(memory_)[i]; }
  /// Throws std::out_of_range.
  T &at(std::size_t i) { return static_cast<T *>(memory_)[inside(i)]; }
  const T &at(std::size_t i) const { return static_cast<const T *>(memory_)[inside(i)]; }
  T &front() { return *static_cast<T *>(memory_); }
  const T &front() const { return *static_cast<const T *>(memory_); }
  T &back() { return static_cast<T *>(memory_)[size_ - 1]; }
  const T &back() const { return static_cast<const T *>(memory_)[size_ - 1]; }

  void reserve(std::size_t capacity) { enlarge(capacity, sizeof(T), mover()); }
  void push_back(T value) {
    ::new (next(sizeof(T), mover())) T(static_cast<T &&>(value));
    ++size_;
  }
  template <class... Arguments>
  T &emplace_back(Arguments &&...arguments) {
    push_back(T(static_cast<Arguments &&>(arguments)...));
    return back();
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(T(*first));
  }
  void pop_back() { shrink(size_ - 1); }
  void clear() { shrink(0); }
  void resize(std::size_t size) {
    shrink(size);
    reserve(size);
    for (; size_ < size; ++size_) ::new (static_cast<void *>(end())) T();
  }
  void resize(std::size_t size, T value) {
    shrink(size);
    while (size_ < size) push_back(value);
  }
  void assign(std::size_t size, const T &value) { *this = List(size, value); }
  template <class Iterator>
    requires requires(Iterator i) { *i, ++i; }
  void assign(Iterator first, Iterator last) {
    *this = List(first, last);
  }

  /// Inserts before `at`; returns where.
  T *insert(const T *at, T value) {
    const std::size_t position = static_cast<std::size_t>(at - data());
    push_back(static_cast<T &&>(value));
    for (T *to = end() - 1; to != begin() + position; --to) {
      T kept = static_cast<T &&>(*to);
      *to = static_cast<T &&>(to[-1]);
      to[-1] = static_cast<T &&>(kept);
    }
    return data() + position;
  }
  template <class Iterator>
  T *insert(const T *at, Iterator first, Iterator last) {
    const std::size_t position = static_cast<std::size_t>(at - data());
    List rest;
    for (T *element = data() + position; element != end(); ++element) rest.push_back(static_cast<T &&>(*element));
    shrink(position);
    append(first, last);
    for (T &element : rest) push_back(static_cast<T &&>(element));
    return data() + position;
  }
  /// Removes the element at `at`, or those from `first` up to `last`; returns where the next one is now.
  T *erase(const T *at) { return erase(at, at + 1); }
  T *erase(const T *first, const T *last) {
    T *to = data() + (first - data());
    T *const next = to;
    for (T *from = data() + (last - data()); from != end(); ++from, ++to)
      if (to != from) *to = static_cast<T &&>(*from);
    shrink(static_cast<std::size_t>(to - data()));
    return next;
  }

  friend bool operator==(const List &a, const List &b) {
    if (a.size_ != b.size_) return false;
    for (const T *x = a.begin(), *y = b.begin(); x != a.end(); ++x, ++y)
      if (!(*x == *y)) return false;
    return true;
  }

 private:
  void append_all(const T *elements, std::size_t count) {
    reserve(size_ + count);
    for (std::size_t i = 0; i < count; ++i, ++size_) ::new (static_cast<void *>(end())) T(elements[i]);
  }
  static void move(void *to, void *from) {
    T *const element = static_cast<T *>(from);
    ::new (to) T(static_cast<T &&>(*element));
    element->~T();
  }
  static consteval Move mover() {
    if constexpr (std::is_trivially_copyable_v<T>)
      return nullptr;
    else
      return &move;
  }
  void shrink(std::size_t size) {
    if constexpr (std::is_trivially_destructible_v<T>)
      size_ = size < size_ ? size : size_;
    else
      while (size_ > size) static_cast<T *>(memory_)[--size_].~T();
  }
};

/// Removes the elements of which `unwanted` holds.
template <class T, class Predicate>
void erase_if(List<T> &list, Predicate unwanted) {
  T *to = list.begin();
  for (T *from = list.begin(); from != list.end(); ++from)
    if (!unwanted(*from)) {
      if (to != from) *to = static_cast<T &&>(*from);
      ++to;
    }
  list.erase(to, list.end());
}

}  // namespace lathe::inline LATHE_ABI
