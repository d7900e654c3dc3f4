// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What has to be known of a whole function before its first line of LLVM is written: which buffers each loop and branch writes,
/// and which small buffers need no memory because all accesses to them are to the same few constant places.

#include <cstdint>

#include "lathe/codegen/access.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/sorted_map.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// The places of a buffer that becomes values: offset in elements to lanes. Places do not overlap.
using LlvmPlaces = SortedMap<int>;

class LlvmUses {
 public:
  explicit LlvmUses(const ir::Stmt &body);

  /// The buffers stored to within a loop or branch, in order of first store.
  const List<ir::Buffer> &written(const ir::Stmt &s) const { return written_.at(s.node()); }
  /// The places of a buffer that needs no memory; null for one that does.
  const LlvmPlaces *places(const ir::Buffer &buffer) const;

 private:
  struct Candidate {
    const void *parallel;  ///< the innermost parallel loop around the allocation
    bool held = true;
    LlvmPlaces places;
  };

  void statement(const ir::Stmt &s, List<ir::Buffer> &written);
  void nested(const ir::Stmt &s, List<ir::Buffer> &written);
  void expression(const ir::Expr &root);
  void access(const ir::Buffer &buffer, const List<ir::Expr> &indices, const ir::Expr &predicate);

  NodeMap<List<ir::Buffer>> written_;
  NodeMap<Candidate> candidates_;
  NodeSet seen_;  ///< within the present parallel loop
  const void *parallel_ = nullptr;
};

}  // namespace lathe::inline LATHE_ABI::codegen
