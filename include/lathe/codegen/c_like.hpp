// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The printer of C-like text that the source back ends share: scalar statements and expressions of the IR as code for people to
/// read. What differs is in a `Dialect`; how parallel loops, allocations and checks are done is the back end's.
///
/// Large or shared expressions become temporaries ahead of their statement, so no line grows long, no compiler's limit on nesting
/// is met, and the text stays linear in the number of nodes.

#include <string>
#include <string_view>
#include <utility>

#include "lathe/arith/simplify.hpp"
#include "lathe/codegen/c_like_names.hpp"
#include "lathe/codegen/c_like_operators.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace c_like_printing {

/// Precedences of C.
enum : int {
  lowest = 0,
  conditional = 3,
  either = 4,
  all_of = 5,
  bit_or = 6,
  bit_xor = 7,
  bit_and = 8,
  equality = 9,
  relation = 10,
  shift = 11,
  sum = 12,
  product = 13,
  prefix = 14,
  atom = 16
};

}  // namespace c_like_printing

/// An expression as text.
struct CText {
  std::string text;
  int precedence = c_like_printing::atom;  ///< of the outermost operator
  int depth = 0;                           ///< of nested operators
  bool is_int = false;                     ///< of C's type int although an index, which is 64 bits wide
};

/// A literal of a built-in type that reads back bit for bit. NaN and the infinities come from their bits.
CText c_literal(OperatorLibrary &library, DType type, std::uint64_t bits);

/// Prints statements into `out`. Values must have no lanes, `Select`s must not guard.
class CLikePrinter {
 public:
  explicit CLikePrinter(const Dialect &dialect) : dialect_(dialect), library_(dialect) {}
  virtual ~CLikePrinter() = default;
  CLikePrinter(const CLikePrinter &) = delete;
  CLikePrinter &operator=(const CLikePrinter &) = delete;

 protected:
  /// The text of one function under way.
  struct Body {
    std::string text;
    int indent = 1;
    NameScopes names;
    NodeMap<bool> used;                    ///< things whose names were printed; lookup only
    List<const ir::BufferNode *> scratch;  ///< held, innermost last
  };

  // What a back end decides.
  virtual void parallel_loop(const ir::For &loop) = 0;
  virtual void allocate(const ir::Allocate &allocate) = 0;
  virtual void check(const ir::Check &check) = 0;

  /// `last`: nothing follows in the braces that are open.
  void statement(const ir::Stmt &s, bool last = true);
  void serial_loop(const ir::For &loop, std::string_view begin, std::string_view end);
  /// Prints an expression for use in the statement that comes next; temporaries go first. `limit`: the precedence that the
  /// surroundings need.
  std::string expression(const ir::Expr &e, int limit = 0);
  /// The same for several that share temporaries.
  List<std::string> expressions(const List<ir::Expr> &roots);

  void line(std::string_view text);
  void comment(std::string_view text) { line("// " + comment_text(text)); }
  void open(std::string_view head);  ///< "head {" and a scope
  void close(std::string_view tail = "}");

  /// Where the text of a declaration is.
  struct Declaration {
    const void *thing;
    std::size_t begin, end;
  };
  /// Declares a thing in the scope that is open; its declaration is printed by `print`.
  Declaration declare(const void *thing, std::string_view wish, FunctionRef<std::string(const std::string &name)> print);
  /// Takes the declaration back if nothing has used the name; the youngest first.
  void drop_unused(const Declaration &declaration);
  /// Declares a thing in the scope that is open; its declaration, printed by `print`, is taken back if the rest of the scope does
  /// not use the name. `rest` prints what may.
  void declared(const void *thing, std::string_view wish, FunctionRef<std::string(const std::string &name)> declaration,
                FunctionRef<void()> rest);
  /// The name of a variable or buffer; counts as its use.
  const std::string &name_of(const void *thing, std::string_view what);

  /// The name of a type for values: bools are ints.
  std::string value_type(DType type) const { return type.is_bool() ? "int" : std::string(c_type(dialect_, type)); }

  const Dialect &dialect_;
  OperatorLibrary library_;
  Body body_;
  arith::Facts facts_;

 private:
  friend class CExpressionPrinter;
  void store(const ir::Store &store);
  void prefetch(const ir::Prefetch &prefetch);
  void branch(const ir::If &branch);
  void bind(const ir::Bind &bind);
  void loop(const ir::For &loop);
  void block(const ir::Block &block, bool last);
};

}  // namespace lathe::inline LATHE_ABI::codegen
