// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Calls by register class.

#include <dlfcn.h>

#include <bit>
#include <cstddef>

#include "lathe/codegen/external_call.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace external_calls {

inline constexpr std::size_t most_integers = 6, most_floats = 8;

// x86-64 (System V) and AArch64 pass integers and floats in register files of their own, each in order, so one signature with
// all registers of both serves every function whose arguments fit: a callee looks only at the registers of its own parameters.
template <class Result>
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
Result
call_by_registers(const void *address, const std::uint64_t (&i)[most_integers], const double (&f)[most_floats]) {
  using Function = Result (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, double,
                              double, double, double, double, double, double, double);
  const auto function = reinterpret_cast<Function>(const_cast<void *>(address));
  return function(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
}

LATHE_INLINE bool goes_in_float_register(DType type) { return type.is_float() && type.bits() >= 32; }

// The lowest bits of `bits` in the extended form of `Bits`.
LATHE_INLINE ir::Bits narrowed(DType type, std::uint64_t bits) {
  if (type.is_bool()) return (bits & 0xff) != 0;
  if (type.bits() == 64) return bits;
  const int unused = 64 - type.bits();
  const std::uint64_t high = bits << unused;
  return type.is_signed() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused) : high >> unused;
}

}  // namespace external_calls

LATHE_INLINE const void *resolve(const ir::ExternalFunction &function) {
  if (function.address) return function.address;
  const void *address = dlsym(RTLD_DEFAULT, function.name.c_str());
  if (!address)
    fail("G001", {"no loaded library defines the function ", function.name}, {},
         {{"help", {"give its address: call<T>(&", function.name, ", …)"}, {}}});
  return address;
}

LATHE_INLINE ir::Bits call_external(const void *address, DType result, std::span<const DType> types,
                                    std::span<const ir::Bits> arguments) {
  using namespace external_calls;
  std::uint64_t integers[most_integers] = {};
  double floats[most_floats] = {};
  std::size_t integer_count = 0, float_count = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool is_float = goes_in_float_register(types[i]);
    if (is_float ? float_count == most_floats : integer_count == most_integers)
      fail("G002", "interpret and evaluate call functions of at most 6 integers and 8 floats", {},
           {{"why", "they pass arguments in registers alone; jit and emit_c take any number", {}},
            {"help", "pass the rest through memory that the function knows", {}}});
    if (is_float)
      floats[float_count++] = std::bit_cast<double>(arguments[i]);  // a float lies in the register's lowest bits
    else
      integers[integer_count++] = arguments[i];
  }
  if (!goes_in_float_register(result)) return narrowed(result, call_by_registers<std::uint64_t>(address, integers, floats));
  if (result.bits() == 32) return std::bit_cast<std::uint32_t>(call_by_registers<float>(address, integers, floats));
  return std::bit_cast<std::uint64_t>(call_by_registers<double>(address, integers, floats));
}

}  // namespace lathe::inline LATHE_ABI::codegen
