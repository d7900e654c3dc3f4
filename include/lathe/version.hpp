// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The only place a version is written, and the switch between the two ways to build Lathe.
///
/// - Header-only (default): `lathe/lathe.hpp` brings every definition along, all of them `inline`.
/// - Compiled (`LATHE_COMPILED` defined, as the CMake target `lathe::compiled` does): users' files see declarations only, and
///   exactly one file defines `LATHE_IMPLEMENTATION` before it includes `lathe/implementation.hpp`.
///
/// The mode is part of the inline namespace, so a program that mixes both links and runs: the two never meet.

/// @{
/// The version as numbers, for `#if`, and as text.
#define LATHE_VERSION_MAJOR 0
#define LATHE_VERSION_MINOR 1
#define LATHE_VERSION_PATCH 0
#define LATHE_VERSION_STRING "0.1.0"
/// @}

/// \def LATHE_ABI
/// The inline namespace of everything: version and mode. Programs write `lathe::`.
/// \def LATHE_INLINE
/// Stands before each definition of an .ipp: `inline`, or nothing where one file compiles them all.
#ifdef LATHE_COMPILED
#define LATHE_ABI v0_1_compiled
#define LATHE_INLINE
#else
#define LATHE_ABI v0_1
#define LATHE_INLINE inline
#endif
