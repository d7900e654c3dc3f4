// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Identifiers for C-like text: any name becomes a legal one that is no keyword, clashes with no library and is unique where it
/// is seen.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// `name` with every character that C does not allow turned into an underscore: "n.c" → "n_c", "2x" → "v2x", "" → "v".
std::string identifier(std::string_view name);

/// Whether C or the text's own conventions know `name`, so that nothing else may be called so.
bool is_reserved(std::string_view name);
/// Whether a function of that name would stand in for one of the C library's.
bool is_library_function(std::string_view name);

/// A piece of text as the content of a comment to the end of the line.
std::string comment_text(std::string_view text);

/// Names in nested scopes. A name that went out of scope may be given again; one that is visible may not be hidden.
class NameScopes {
 public:
  /// An unused name like `wish` for `thing`, visible until the scope that is open closes.
  const std::string &add(const void *thing, std::string_view wish);
  /// The visible name of `thing`, or null.
  const std::string *find(const void *thing) const;
  /// An unused name like `wish` for nothing that is looked up.
  std::string local(std::string_view wish) { return give(identifier(wish)); }
  /// An unused name for nothing in particular: t0, t1, …
  std::string temporary();
  /// No other thing may be called so.
  void reserve(std::string_view name) { visible_.insert(std::string(name)); }

  void open() { scopes_.push_back(given_.size()); }
  void close();

 private:
  struct Given {
    const void *thing;
    std::string name, wish;  ///< a temporary's wish is empty
    int suffix;              ///< the wish's last, before this name was given
  };
  std::string give(std::string wish);

  HashSet<std::string> visible_;
  HashMap<std::string, int> suffixes_;  ///< by wish: up to here they are taken
  NodeMap<List<std::string>> names_;
  List<Given> given_;
  List<std::size_t> scopes_;
  int temporaries_ = 0;
};

}  // namespace lathe::inline LATHE_ABI::codegen
