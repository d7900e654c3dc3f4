// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The frame of a function: what the calling convention brings it.

#include <algorithm>
#include <utility>

#include "lathe/codegen/llvm_expressions.ipp"
#include "lathe/codegen/llvm_function.hpp"
#include "lathe/codegen/llvm_memory.ipp"
#include "lathe/codegen/llvm_statements.ipp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_frame {

/// Loads slot i into %p<i>. A vector does not fit: its slot holds an address.
LATHE_INLINE std::string load_slot(const LlvmSlot &slot, std::size_t i) {
  const std::string n = std::to_string(i);
  std::string text = composed({"  %s", n, " = getelementptr i64, ptr %slots, i64 ", n, "\n"}), place = "%s" + n, alignment = "8";
  if (!slot.var.defined()) return composed({text, "  %p", n, " = load ptr, ptr ", place, ", align 8\n"});
  const DType type = slot.var.type();
  if (type.is_vector()) {
    text += composed({"  %a", n, " = load ptr, ptr ", place, ", align 8\n"});
    place = "%a" + n, alignment = "64";
  }
  std::string memory_type;
  append_llvm_type(memory_type, llvm_memory_type(type));
  text += composed({type.is_bool() ? "  %c" : "  %p", n, " = load ", memory_type, ", ptr ", place, ", align ", alignment, "\n"});
  if (!type.is_bool()) return text;
  return composed(
      {text, "  %p", n, " = icmp ne ", memory_type, " %c", n, ", ", type.is_vector() ? "zeroinitializer" : "0", "\n"});
}

}  // namespace llvm_frame

LATHE_INLINE LlvmFunction::LlvmFunction(LlvmKernel &kernel, std::string name)
    : kernel_(kernel), w_(kernel.unit), name_(std::move(name)) {
  runtime_ = w_.named_at_entry("%runtime", llvm_types::pointer);
}

LATHE_INLINE void LlvmFunction::declare_parameters(const List<LlvmSlot> &slots) {
  const auto is_buffer = [](const LlvmSlot &slot) { return slot.buffer.defined(); };
  // No argument of a kernel overlaps what it writes, but for those that may be one memory.
  const auto is_alone = [](const LlvmSlot &slot) { return slot.buffer.defined() && !slot.buffer->shared; };
  const List<std::string> disjoint =
      w_.unit().disjoint(static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), is_alone)));
  std::size_t buffers = 0;
  for (const LlvmSlot &slot : slots) kernel_.streams = kernel_.streams || (is_buffer(slot) && slot.buffer->streamed);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const LlvmSlot &slot = slots[i];
    const std::string name = "%p" + std::to_string(i);
    const LlvmValue value = w_.named_at_entry(name, slot.var.defined() ? slot.var.type() : DType(llvm_types::pointer));
    if (slot.var.defined())
      vars_.emplace(slot.var.node(), value);
    else if (slot.buffer.defined())
      memories_.emplace(slot.buffer.node(), Memory{.pointer = value,
                                                   .version = versions_++,
                                                   .disjoint = is_alone(slot) ? disjoint[buffers++] : std::string(),
                                                   .streamed = slot.buffer->streamed});
    else if (!slot.function.name.empty())
      functions_.emplace_back(slot.function, value);
  }
}

LATHE_INLINE void LlvmFunction::write_kernel(const List<LlvmSlot> &slots) {
  declare_parameters(slots);
  statement(kernel_.function.body);
  finish(slots, false);
}

LATHE_INLINE void LlvmFunction::write_parallel_body(const ir::For &loop, const List<ir::Buffer> &written,
                                                    const List<LlvmSlot> &slots, List<arith::Facts::Domain> domains) {
  declare_parameters(slots);
  domains_ = std::move(domains);
  // The runtime never asks for an empty range.
  const DType index = scalar_types::index;
  rotated_loop(loop, written, w_.named_at_entry("%begin", index), w_.named_at_entry("%end", index));
  finish(slots, true);
}

LATHE_INLINE void LlvmFunction::finish(const List<LlvmSlot> &slots, bool is_parallel_body) {
  if (streams_) fence();
  w_.line("ret i32 0");
  std::string text = composed({"define ", is_parallel_body ? "internal " : "", "i32 ", llvm_global(name_),
                               "(ptr %args, ptr %runtime) #0 {\nentry:\n", allocas_});
  if (is_parallel_body) {
    text += "  %b = getelementptr i8, ptr %args, i64 8\n  %e = getelementptr i8, ptr %args, i64 16\n";
    text += "  %begin = load i64, ptr %b, align 8\n  %end = load i64, ptr %e, align 8\n";
  }
  text += "  %slots = load ptr, ptr %args, align 8\n";
  for (std::size_t i = 0; i < slots.size(); ++i) text += llvm_frame::load_slot(slots[i], i);
  w_.unit().add_function(composed({text, w_.close().text, "}\n\n"}));
}

}  // namespace lathe::inline LATHE_ABI::codegen
