// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Multi-dimensional data of the host: `Array` owns its elements, `View` looks at anybody's.
///
///     Array<float, 2> a({m, n});                                      // zeros
///     auto b = Array<float, 2>::generate({m, n}, [](std::int64_t i, std::int64_t j) { return i + 0.5f * j; });
///     auto c = Array<int, 2>::of({{1, 2}, {3, 4}});
///     View<float, 2> v(pointer, {m, n}, {leading, 1});                // strides in elements
///
/// Views of Eigen's matrices, of mdspan, of the standard containers and of DLPack tensors come with `lathe/interop/`;
/// `ViewTraits` is how they do it, and how other types may.
///
/// Both have the last dimension contiguous unless strides say otherwise, index by `a(i, j)`, and exist in rank 0: one element,
/// `a()`. Indices are checked in debug builds.

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// One extent or stride, from any type of integer, so that braces mix `int` and `std::size_t` freely.
struct Extent {
  /// From any integer; a value beyond 63 bits becomes negative, which arrays refuse.
  template <std::integral I>
  constexpr Extent(I integer) : value(static_cast<std::int64_t>(integer)) {}  // NOLINT: implicit by design
  std::int64_t value;                                                         ///< the integer
};

/// What `{m, n}` in a constructor call becomes. An aggregate, since then only braces make one and `Array<float, 1> a({n})`
/// cannot mean a copy; without defaults, since then too few extents do not compile.
template <int Rank>
struct Extents {
  Extent values[Rank];  ///< one per dimension
  /// Of a dimension, counted from 0.
  constexpr std::int64_t operator[](int dimension) const { return values[dimension].value; }
};
/// `{}`: of rank 0.
template <>
struct Extents<0> {
  /// Never asked.
  constexpr std::int64_t operator[](int) const { return 0; }
};

/// Bytes that an array of this shape takes. \throws Error K101 for a negative extent or when it does not fit 63 bits.
std::size_t array_bytes(const std::int64_t *shape, int rank, std::size_t element_bytes);

/// Throws Error K102: the rows of nested braces differ in length.
[[noreturn]] void fail_ragged_rows(std::size_t first, std::size_t other);

/// What Array and View share: shapes, and walking over indices in row-major order.
namespace shapes {

/// std::array's elements from braces.
template <int Rank>
constexpr std::array<std::int64_t, Rank> array_of(const Extents<Rank> &extents) {
  std::array<std::int64_t, Rank> values{};
  for (int d = 0; d < Rank; ++d) values[static_cast<std::size_t>(d)] = extents[d];
  return values;
}

template <std::size_t Rank>
constexpr std::int64_t element_count(const std::array<std::int64_t, Rank> &shape) {
  std::uint64_t count = 1;  // unsigned: beside an extent of 0 the others may overflow
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  return static_cast<std::int64_t>(count);
}

template <std::size_t Rank>
constexpr std::array<std::int64_t, Rank> row_major_strides(const std::array<std::int64_t, Rank> &shape) {
  std::array<std::int64_t, Rank> strides{};
  std::uint64_t stride = 1;
  for (std::size_t d = Rank; d-- > 0; stride *= static_cast<std::uint64_t>(shape[d]))
    strides[d] = static_cast<std::int64_t>(stride);
  return strides;
}

/// Steps to the next index; false after the last one.
template <std::size_t Rank>
constexpr bool next(std::array<std::int64_t, Rank> &index, const std::array<std::int64_t, Rank> &shape) {
  for (std::size_t d = Rank; d-- > 0;) {
    if (++index[d] < shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

/// Calls `visit(index)` for each index of `shape`.
template <std::size_t Rank, class Visit>
constexpr void each_index(const std::array<std::int64_t, Rank> &shape, Visit &&visit) {
  if (element_count(shape) == 0) return;
  std::array<std::int64_t, Rank> index{};
  do visit(index);
  while (next(index, shape));
}

template <std::size_t Rank>
constexpr std::int64_t offset(const std::array<std::int64_t, Rank> &index, const std::array<std::int64_t, Rank> &strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < Rank; ++d) sum += index[d] * strides[d];
  return sum;
}

template <std::size_t Rank>
constexpr bool contains(const std::array<std::int64_t, Rank> &shape, const std::array<std::int64_t, Rank> &index) {
  for (std::size_t d = 0; d < Rank; ++d)
    if (index[d] < 0 || index[d] >= shape[d]) return false;
  return true;
}

}  // namespace shapes

template <class T, int Rank>
class Array;
template <class T, int Rank>
class View;

/// Specialise for a type of another library to make `View<…, Rank>` of its objects, and so to pass them to kernels. `view` takes
/// an object and returns a view of its elements; what it takes by `const &` it returns as a view that only reads, unless the
/// object itself is no more than a view. A temporary that owns its elements should bind to `const &` alone.
///
///     template <>
///     struct lathe::ViewTraits<Image, 2> {
///       static View<float, 2> view(Image &image) { return {image.pixels(), {image.height, image.width}, {image.pitch, 1}}; }
///       static View<const float, 2> view(const Image &image) { … }
///     };
template <class Source, int Rank>
struct ViewTraits {};

namespace shapes {

template <class Source>
inline constexpr bool is_lathes = false;
template <class T, int Rank>
inline constexpr bool is_lathes<Array<T, Rank>> = true;
template <class T, int Rank>
inline constexpr bool is_lathes<View<T, Rank>> = true;

template <class Source, int Rank>
concept Viewable = !is_lathes<std::remove_cvref_t<Source>> && requires(Source &&source) {
  ViewTraits<std::remove_cvref_t<Source>, Rank>::view(static_cast<Source &&>(source));
};

template <class Source, int Rank>
using ViewOf = decltype(ViewTraits<std::remove_cvref_t<Source>, Rank>::view(std::declval<Source>()));

/// Whether a Source may be looked at as a View<T, Rank>: element types are equal but for an added const.
template <class Source, class T, int Rank>
concept ViewableAs = Viewable<Source, Rank> && (std::is_same_v<ViewOf<Source, Rank>, View<T, Rank>> ||
                                                std::is_same_v<ViewOf<Source, Rank>, View<std::remove_const_t<T>, Rank>>);

/// The least rank up to 8 in which a Source can be looked at, or -1: a vector of Eigen's has rank 1, and 2 when asked for.
template <class Source, int Rank = 0>
consteval int least_rank() {
  if constexpr (Viewable<Source, Rank>)
    return Rank;
  else if constexpr (Rank < 8)
    return least_rank<Source, Rank + 1>();
  else
    return -1;
}

}  // namespace shapes

/// Owns elements in row-major order, aligned to 64 bytes. Copies copy the elements; a moved-from array is as one just
/// constructed by default. `bool` takes one byte an element.
template <class T, int Rank>
class Array {
  static_assert(Rank >= 0, "Array: the rank is 0 or more");
  static_assert(std::is_trivially_copyable_v<T>, "Array: elements are numbers or plain structs that copy as bytes");

 public:
  using value_type = T;                          ///< of the elements
  using Shape = std::array<std::int64_t, Rank>;  ///< one extent per dimension
  static constexpr int rank = Rank;              ///< number of dimensions
  static constexpr std::size_t alignment = 64;   ///< of the first element, in bytes

  /// Rank 0: one zero. Higher ranks: no elements.
  Array() { allocate(); }

  /// Zeros. \throws Error K101 when an extent is negative or the bytes do not fit.
  explicit Array(const Extents<Rank> &extents) : shape_(shapes::array_of<Rank>(extents)) { allocate(); }
  /// With the shape of another array: `Array<float, 2> b(a.shape())`.
  template <std::same_as<Shape> S>
  explicit Array(const S &shape) : shape_(shape) {
    allocate();
  }

  /// Copies the elements.
  Array(const Array &other) : shape_(other.shape_) {
    allocate();
    for (std::int64_t i = 0; i < size(); ++i) data_[i] = other.data_[i];
  }
  /// Takes the elements and leaves an array as constructed by default.
  Array(Array &&other) : Array() { swap(other); }
  /// Copies or takes the elements, and with them the shape.
  Array &operator=(Array other) {
    swap(other);
    return *this;
  }
  ~Array() { ::operator delete(data_, std::align_val_t{alignment}); }

  /// Element (i, j, …) is `element(i, j, …)`, asked for in row-major order.
  template <class Element>
  static Array generate(const Extents<Rank> &extents, Element &&element) {
    Array array(extents);
    T *next = array.data_;
    shapes::each_index(array.shape_, [&](const Shape &index) { *next++ = static_cast<T>(std::apply(element, index)); });
    return array;
  }

  /// The elements themselves: `Array<float, 1>::of({1, 2, 3})`.
  static Array of(std::initializer_list<T> elements)
    requires(Rank == 1)
  {
    Array array({elements.size()});
    T *next = array.data_;
    for (const T &element : elements) *next++ = element;
    return array;
  }

  /// The elements row by row: `Array<int, 2>::of({{1, 2}, {3, 4}})`. \throws Error K102 when rows differ in length.
  static Array of(std::initializer_list<std::initializer_list<T>> rows)
    requires(Rank == 2)
  {
    const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
    Array array({rows.size(), columns});
    T *next = array.data_;
    for (const auto &row : rows) {
      if (row.size() != columns) fail_ragged_rows(columns, row.size());
      for (const T &element : row) *next++ = element;
    }
    return array;
  }

  /// @{
  /// The element at one integer per dimension, each in [0, extent): checked by `assert`.
  template <class... Indices>
  T &operator()(Indices... indices) {
    return data_[offset_of(indices...)];
  }
  template <class... Indices>
  const T &operator()(Indices... indices) const {
    return data_[offset_of(indices...)];
  }

  /// @}

  /// @{
  /// The first element; null where there is none.
  T *data() { return data_; }
  const T *data() const { return data_; }
  /// @}
  const Shape &shape() const { return shape_; }                          ///< all extents
  std::int64_t shape(int dimension) const { return shape_[dimension]; }  ///< one extent, counted from 0
  /// In elements.
  Shape strides() const { return shapes::row_major_strides(shape_); }
  /// Number of elements.
  std::int64_t size() const { return shapes::element_count(shape_); }

  /// @{
  /// All elements in row-major order.
  T *begin() { return data_; }
  T *end() { return data_ + size(); }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size(); }
  /// @}

  /// Writes `value` to every element.
  void fill(const T &value) {
    for (T &element : *this) element = value;
  }

  /// Exchanges shapes and elements; none is copied.
  void swap(Array &other) {
    std::swap(shape_, other.shape_);
    std::swap(data_, other.data_);
  }

  /// Same shape and equal elements (so an array with a NaN differs from itself).
  friend bool operator==(const Array &a, const Array &b) {
    if (a.shape_ != b.shape_) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  void allocate() {
    const std::size_t bytes = array_bytes(shape_.data(), Rank, sizeof(T));
    if (bytes == 0) return;
    data_ = static_cast<T *>(::operator new(bytes, std::align_val_t{alignment}));
    for (std::int64_t i = 0; i < size(); ++i) ::new (data_ + i) T();
  }

  template <class... Indices>
  std::int64_t offset_of(Indices... indices) const {
    static_assert(sizeof...(Indices) == Rank, "Array: one index for each dimension, for example  a(i, j)");
    static_assert((std::is_integral_v<Indices> && ...), "Array: indices are integers, for example  a(i, j)");
    const Shape index{static_cast<std::int64_t>(indices)...};
    assert(shapes::contains(shape_, index) && "Array: index outside the shape");
    std::int64_t offset = 0;
    for (int d = 0; d < Rank; ++d) offset = offset * shape_[d] + index[d];
    return offset;
  }

  Shape shape_{};
  T *data_ = nullptr;
};

/// Looks at elements that somebody else owns and that must outlive it. `View<const T, Rank>` only reads. Copies look at the
/// same elements, and constness of the view itself means nothing, as with pointers.
template <class T, int Rank>
class View {
  static_assert(Rank >= 0, "View: the rank is 0 or more");

 public:
  using Element = T;                             ///< as it is looked at: const where the view only reads
  using value_type = std::remove_const_t<T>;     ///< of the elements
  using Shape = std::array<std::int64_t, Rank>;  ///< one extent, or stride, per dimension
  static constexpr int rank = Rank;              ///< number of dimensions

  /// @{
  /// Row-major without gaps.
  View(T *data, const Extents<Rank> &shape) : View(data, shapes::array_of<Rank>(shape)) {}
  template <std::same_as<Shape> S>
  View(T *data, const S &shape) : View(data, shape, shapes::row_major_strides(shape)) {}
  /// @}

  /// @{
  /// Element (i, j, …) lies at `data[i * strides[0] + j * strides[1] + …]`.
  View(T *data, const Extents<Rank> &shape, const Extents<Rank> &strides)
      : View(data, shapes::array_of<Rank>(shape), shapes::array_of<Rank>(strides)) {}
  template <std::same_as<Shape> S>
  View(T *data, const S &shape, const S &strides) : data_(data), shape_(shape), strides_(strides) {}
  /// @}

  /// @{
  /// Of a whole array; one that cannot be written gives a view that only reads.
  View(Array<value_type, Rank> &array) : View(array.data(), array.shape()) {}  // NOLINT: implicit by design
  View(const Array<value_type, Rank> &array)                                   // NOLINT: implicit by design
    requires std::is_const_v<T>
      : View(array.data(), array.shape()) {}
  /// @}
  /// Of what may be written, a view that only reads. (A template, so that it never stands for the copy constructor.)
  template <class Written>
    requires(std::is_const_v<T> && std::is_same_v<Written, value_type>)
  View(const View<Written, Rank> &other)  // NOLINT: implicit by design
      : View(other.data(), other.shape(), other.strides()) {}
  /// Of an object of another library, as its `ViewTraits` say; it must stay where it is as long as the view is used.
  template <class Source>
    requires shapes::ViewableAs<Source, T, Rank>
  View(Source &&source)  // NOLINT: implicit by design
      : View(ViewTraits<std::remove_cvref_t<Source>, Rank>::view(static_cast<Source &&>(source))) {}

  /// The element at one integer per dimension, each in [0, extent): checked by `assert`.
  template <class... Indices>
  T &operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == Rank, "View: one index for each dimension, for example  v(i, j)");
    static_assert((std::is_integral_v<Indices> && ...), "View: indices are integers, for example  v(i, j)");
    const Shape index{static_cast<std::int64_t>(indices)...};
    assert(shapes::contains(shape_, index) && "View: index outside the shape");
    return data_[shapes::offset(index, strides_)];
  }

  T *data() const { return data_; }                                      ///< element (0, 0, …)
  const Shape &shape() const { return shape_; }                          ///< all extents
  std::int64_t shape(int dimension) const { return shape_[dimension]; }  ///< one extent, counted from 0
  /// In elements.
  const Shape &strides() const { return strides_; }
  /// Number of elements.
  std::int64_t size() const { return shapes::element_count(shape_); }

  /// Whether the elements lie in row-major order without gaps, as those of an Array do.
  bool is_compact() const {
    const Shape compact = shapes::row_major_strides(shape_);
    for (int d = 0; d < Rank; ++d)
      if (shape_[d] > 1 && strides_[d] != compact[d]) return false;
    return true;
  }

  /// Writes `value` to every element.
  void fill(const value_type &value) const {
    static_assert(!std::is_const_v<T>, "View: a View<const T> only reads; take a View<T> to fill");
    shapes::each_index(shape_, [&](const Shape &index) { data_[shapes::offset(index, strides_)] = value; });
  }

 private:
  T *data_;
  Shape shape_;
  Shape strides_;
};

/// @{
/// `View v(array);`, and `View v(matrix);` for what has `ViewTraits`, in the least rank that those have.
template <class T, int Rank>
View(Array<T, Rank> &) -> View<T, Rank>;
template <class T, int Rank>
View(const Array<T, Rank> &) -> View<const T, Rank>;
template <class Source>
  requires(!shapes::is_lathes<std::remove_cvref_t<Source>> && shapes::least_rank<Source>() >= 0)
View(Source &&) -> View<typename shapes::ViewOf<Source, shapes::least_rank<Source>()>::Element, shapes::least_rank<Source>()>;
/// @}

}  // namespace lathe::inline LATHE_ABI
