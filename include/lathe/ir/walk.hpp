// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Walking, rewriting, comparing and hashing, written once over the fields that nodes name. Expressions are walked with an
/// explicit stack and each shared node once; statements by recursion over their (shallow) nesting. Rewrites that change nothing
/// return the same handle.

#include <cstddef>

#include "lathe/ir/stmt.hpp"
#include "lathe/support/function_ref.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/node_set.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// By identity, as variables are compared.
inline std::size_t key_hash(const Var &var) { return lathe::key_hash(var.node()); }
/// What is said of variables.
template <class Value>
using VarMap = HashMap<Var, Value>;

// ---- one node -----------------------------------------------------------------------------------------------------------------

/// Calls `visit` on each direct child expression, in field order. The extents of a `Reduce`'s axes are children too.
void for_each_child(const Expr &e, FunctionRef<void(const Expr &)> visit);
/// @{
/// The same for the expressions directly in a statement (not those of nested statements), and for its nested statements. The
/// extents and strides of an `Allocate`'s buffers count; a rewrite that changes them allocates new buffers, to which the body is
/// turned.
void for_each_expr(const Stmt &s, FunctionRef<void(const Expr &)> visit);
void for_each_stmt(const Stmt &s, FunctionRef<void(const Stmt &)> visit);
/// @}
/// @{
/// The node with each direct child replaced; the same handle when nothing changed. Types are kept, except that lanes follow the
/// children.
Expr map_children(const Expr &e, FunctionRef<Expr(const Expr &)> change);
Stmt map_children(const Stmt &s, FunctionRef<Expr(const Expr &)> change_expr, FunctionRef<Stmt(const Stmt &)> change_stmt);
/// @}

// ---- whole expressions and statements -----------------------------------------------------------------------------------------

/// Visits every distinct node below and including `root`, children first.
void walk(const Expr &root, FunctionRef<void(const Expr &)> visit);
/// Visits every node, parents first; children of a node for which `enter` returns false are skipped. Shared nodes are visited
/// once.
void walk_down(const Expr &root, FunctionRef<bool(const Expr &)> enter);
/// Visits every statement, parents first; nested statements are skipped where `enter` returns false.
void walk_down(const Stmt &root, FunctionRef<bool(const Stmt &)> enter);
/// Visits every distinct expression node of every statement, children first.
void walk(const Stmt &root, FunctionRef<void(const Expr &)> visit);

/// Rewrites bottom-up: `change` gets each distinct node after its children were rewritten and returns its replacement (or the
/// node itself).
Expr rewrite(const Expr &root, FunctionRef<Expr(const Expr &)> change);
/// The same of one root after another: remembers, so that what they share is rewritten once. The roots and `change` must live on.
class Rewriter {
 public:
  explicit Rewriter(FunctionRef<Expr(const Expr &)> change) : change_(change) {}  ///< the function for `rewrite`
  Expr operator()(const Expr &root);                                              ///< the root rewritten, or undefined like it

 private:
  Expr now(const Expr &e) const;
  Expr with_new_children(const Expr &e) const;

  FunctionRef<Expr(const Expr &)> change_;
  NodeSet done_;
  NodeMap<Expr> changed_;  // of those that did
};
/// Rewrites every expression of a statement that way.
Stmt rewrite_exprs(const Stmt &root, FunctionRef<Expr(const Expr &)> change);
/// Rewrites statements bottom-up; expressions stay.
Stmt rewrite_stmts(const Stmt &root, FunctionRef<Stmt(const Stmt &)> change);

/// @{
/// Replaces variables where they are not bound within. Replacing a scalar by a vector widens what depends on it. Nothing is
/// folded.
Expr substitute(const Expr &root, const VarMap<Expr> &replacements);
Stmt substitute(const Stmt &root, const VarMap<Expr> &replacements);
/// @}

// ---- questions ----------------------------------------------------------------------------------------------------------------

/// @{
/// Structurally equal: same nodes, types and constants; variables, buffers and operations the same. Places (of a `Check`) do not
/// count.
bool equal(const Expr &a, const Expr &b);
bool equal(const Stmt &a, const Stmt &b);
/// @}
/// Equal expressions hash alike. Stable within a process only.
std::size_t hash(const Expr &e);

/// @{
/// Whether some expression names `var`, those of allocated shapes included. In a `Reduce` over it only the start values count,
/// while loops and lets of a statement hide nothing.
bool uses(const Expr &e, const Var &var);
bool uses(const Stmt &s, const Var &var);
/// @}
/// Variables of `e` in order of first appearance (depth-first), without those that a `Reduce` in it binds.
List<Var> free_vars(const Expr &e);
/// Variables used but not bound in `s`, buffers used but not allocated in it, external functions called; each once, in order of
/// first appearance.
struct FreeNames {
  List<Var> vars;                    ///< also those in the shapes of buffers
  List<Buffer> buffers;              ///< loaded from or stored to
  List<ExternalFunction> functions;  ///< those with an address
};
/// The names that `s` takes from around it.
FreeNames free_names(const Stmt &s);
/// No loads, reads, reductions or impure calls: depends on variables alone.
bool is_pure_scalar(const Expr &e);
/// `root` with every load, store and prefetch turned from a buffer to its replacement, by the nodes of buffers.
Stmt replace_buffers(const Stmt &root, const NodeMap<Buffer> &replacements);
/// The same statement with buffers of its own in place of those that it allocates, so that it may stand beside the original and
/// each be treated as it needs.
Stmt with_fresh_buffers(const Stmt &s);

}  // namespace lathe::inline LATHE_ABI::ir
