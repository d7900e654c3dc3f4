// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A growing array that is cheap to compile. Lathe holds a hundred kinds of elements in arrays, all of them compiled in every
/// file that uses Lathe header-only; without optimisation a `std::vector` costs some eighty functions a kind, a `List` about ten.

#include <cstddef>
#include <initializer_list>
#include <new>
#include <stdexcept>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Elements side by side, growing at the end: the interface and the rules of `std::vector`, with pointers as iterators, as far as
/// Lathe needs them. A `List<bool>` holds ordinary bools.
template <class T>
class List {
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
  List(const List &other) : List() { append_all(other.data_, other.size_); }
  List(List &&other) noexcept : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.data_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  List &operator=(List other) noexcept {
    swap(other);
    return *this;
  }
  ~List() {
    shrink(0);
    ::operator delete(data_);
  }
  void swap(List &other) noexcept {
    T *const data = data_;
    const std::size_t size = size_, capacity = capacity_;
    data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
    other.data_ = data, other.size_ = size, other.capacity_ = capacity;
  }

  T *data() { return data_; }
  const T *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &operator[](std::size_t i) { return data_[i]; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  /// Throws std::out_of_range.
  T &at(std::size_t i) { return data_[inside(i)]; }
  const T &at(std::size_t i) const { return data_[inside(i)]; }
  T &front() { return data_[0]; }
  const T &front() const { return data_[0]; }
  T &back() { return data_[size_ - 1]; }
  const T &back() const { return data_[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T *const to = static_cast<T *>(::operator new(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void *>(to + i)) T(static_cast<T &&>(data_[i]));
      data_[i].~T();
    }
    ::operator delete(data_);
    data_ = to;
    capacity_ = capacity;
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 4);
    ::new (static_cast<void *>(data_ + size_)) T(static_cast<T &&>(value));
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
  void pop_back() { data_[--size_].~T(); }
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
    const std::size_t position = static_cast<std::size_t>(at - data_);
    push_back(static_cast<T &&>(value));
    for (std::size_t i = size_ - 1; i > position; --i) exchange(data_[i], data_[i - 1]);
    return data_ + position;
  }
  template <class Iterator>
  T *insert(const T *at, Iterator first, Iterator last) {
    const std::size_t position = static_cast<std::size_t>(at - data_);
    List rest;
    for (std::size_t i = position; i < size_; ++i) rest.push_back(static_cast<T &&>(data_[i]));
    shrink(position);
    append(first, last);
    for (T &element : rest) push_back(static_cast<T &&>(element));
    return data_ + position;
  }
  /// Removes the element at `at`, or those from `first` up to `last`; returns where the next one is now.
  T *erase(const T *at) { return erase(at, at + 1); }
  T *erase(const T *first, const T *last) {
    T *to = data_ + (first - data_);
    T *const next = to;
    for (T *from = data_ + (last - data_); from != end(); ++from, ++to)
      if (to != from) *to = static_cast<T &&>(*from);
    shrink(static_cast<std::size_t>(to - data_));
    return next;
  }

  friend bool operator==(const List &a, const List &b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  void append_all(const T *elements, std::size_t count) {
    reserve(size_ + count);
    for (std::size_t i = 0; i < count; ++i, ++size_) ::new (static_cast<void *>(data_ + size_)) T(elements[i]);
  }
  std::size_t inside(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("lathe::List::at: no such element");
    return i;
  }
  void shrink(std::size_t size) {
    while (size_ > size) data_[--size_].~T();
  }
  static void exchange(T &a, T &b) {
    T kept = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(kept);
  }

  T *data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
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
