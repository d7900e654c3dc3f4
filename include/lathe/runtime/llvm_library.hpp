// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The part of LLVM's C interface that Lathe uses, found in a shared library at run time.
///
/// Nothing of LLVM is needed to build: its types are declared here as far as they cross the interface, which has not changed
/// from LLVM 16 to 20. With LATHE_LINK_LLVM defined, the functions are linked (-lLLVM) and nothing is searched for.

#include <cstddef>
#include <cstdint>

#include "lathe/version.hpp"

// LLVM's own names for what its handles point to.
struct LLVMOpaqueContext;
struct LLVMOpaqueModule;
struct LLVMOpaqueMemoryBuffer;
struct LLVMOpaqueDiagnosticInfo;
struct LLVMOpaqueError;
struct LLVMOpaquePassBuilderOptions;
struct LLVMOpaqueTargetData;
struct LLVMOpaqueTargetMachine;
struct LLVMTarget;
struct LLVMOrcOpaqueLLJIT;
struct LLVMOrcOpaqueLLJITBuilder;
struct LLVMOrcOpaqueExecutionSession;
struct LLVMOrcOpaqueJITDylib;
struct LLVMOrcOpaqueDefinitionGenerator;
struct LLVMOrcOpaqueSymbolStringPoolEntry;

namespace lathe::inline LATHE_ABI {

/// LLVM's types under our names. Enumerations cross the interface as `int`.
namespace llvm_c {

using Bool = int;
using Context = LLVMOpaqueContext *;
using Module = LLVMOpaqueModule *;
using MemoryBuffer = LLVMOpaqueMemoryBuffer *;
using DiagnosticInfo = LLVMOpaqueDiagnosticInfo *;
using Error = LLVMOpaqueError *;
using PassOptions = LLVMOpaquePassBuilderOptions *;
using TargetData = LLVMOpaqueTargetData *;
using TargetMachine = LLVMOpaqueTargetMachine *;
using TargetRef = LLVMTarget *;
using Jit = LLVMOrcOpaqueLLJIT *;
using JitBuilder = LLVMOrcOpaqueLLJITBuilder *;
using Session = LLVMOrcOpaqueExecutionSession *;
using Dylib = LLVMOrcOpaqueJITDylib *;
using Generator = LLVMOrcOpaqueDefinitionGenerator *;
using Name = LLVMOrcOpaqueSymbolStringPoolEntry *;

inline constexpr int severity_error = 0;
inline constexpr int relocation_pic = 2;
inline constexpr int code_model_default = 0;
inline constexpr int file_assembly = 0;
inline constexpr int file_object = 1;
inline constexpr int lookup_static = 0;
inline constexpr int exported_symbols_only = 0;
inline constexpr int required_symbol = 0;

struct SearchElement {
  Dylib dylib;
  int flags;
};
struct LookupElement {
  Name name;
  int flags;
};
struct SymbolFlags {
  std::uint8_t generic;
  std::uint8_t target;
};
struct Symbol {
  Name name;
  std::uint64_t address;
  SymbolFlags flags;
};

using DiagnosticHandler = void (*)(DiagnosticInfo, void *context);
using FatalErrorHandler = void (*)(const char *reason);
using SymbolPredicate = int (*)(void *context, Name);
using LookupHandler = void (*)(Error, Symbol *, std::size_t count, void *context);
using ErrorReporter = void (*)(void *context, Error);

}  // namespace llvm_c

/// The functions: name, result, parameters.
#define LATHE_LLVM_FUNCTIONS(X)                                                                                                \
  X(LLVMGetVersion, void, (unsigned *major, unsigned *minor, unsigned *patch))                                                 \
  X(LLVMInstallFatalErrorHandler, void, (llvm_c::FatalErrorHandler))                                                           \
  X(LLVMContextCreate, llvm_c::Context, ())                                                                                    \
  X(LLVMContextDispose, void, (llvm_c::Context))                                                                               \
  X(LLVMContextSetDiagnosticHandler, void, (llvm_c::Context, llvm_c::DiagnosticHandler, void *))                               \
  X(LLVMGetDiagInfoDescription, char *, (llvm_c::DiagnosticInfo))                                                              \
  X(LLVMGetDiagInfoSeverity, int, (llvm_c::DiagnosticInfo))                                                                    \
  X(LLVMDisposeMessage, void, (char *))                                                                                        \
  X(LLVMCreateMemoryBufferWithMemoryRange, llvm_c::MemoryBuffer,                                                               \
    (const char *data, std::size_t size, const char *name, llvm_c::Bool null_terminated))                                      \
  X(LLVMCreateMemoryBufferWithMemoryRangeCopy, llvm_c::MemoryBuffer, (const char *data, std::size_t size, const char *name))   \
  X(LLVMGetBufferStart, const char *, (llvm_c::MemoryBuffer))                                                                  \
  X(LLVMGetBufferSize, std::size_t, (llvm_c::MemoryBuffer))                                                                    \
  X(LLVMDisposeMemoryBuffer, void, (llvm_c::MemoryBuffer))                                                                     \
  X(LLVMParseIRInContext, llvm_c::Bool, (llvm_c::Context, llvm_c::MemoryBuffer taken, llvm_c::Module *, char **message))       \
  X(LLVMSetTarget, void, (llvm_c::Module, const char *triple))                                                                 \
  X(LLVMVerifyModule, llvm_c::Bool, (llvm_c::Module, int action, char **message))                                              \
  X(LLVMDisposeModule, void, (llvm_c::Module))                                                                                 \
  X(LLVMGetTargetFromTriple, llvm_c::Bool, (const char *triple, llvm_c::TargetRef *, char **message))                          \
  X(LLVMCreateTargetMachine, llvm_c::TargetMachine,                                                                            \
    (llvm_c::TargetRef, const char *triple, const char *cpu, const char *features, int level, int relocation, int code_model)) \
  X(LLVMDisposeTargetMachine, void, (llvm_c::TargetMachine))                                                                   \
  X(LLVMCreateTargetDataLayout, llvm_c::TargetData, (llvm_c::TargetMachine))                                                   \
  X(LLVMSetModuleDataLayout, void, (llvm_c::Module, llvm_c::TargetData))                                                       \
  X(LLVMDisposeTargetData, void, (llvm_c::TargetData))                                                                         \
  X(LLVMTargetMachineEmitToMemoryBuffer, llvm_c::Bool,                                                                         \
    (llvm_c::TargetMachine, llvm_c::Module, int file_type, char **message, llvm_c::MemoryBuffer *))                            \
  X(LLVMCreatePassBuilderOptions, llvm_c::PassOptions, ())                                                                     \
  X(LLVMPassBuilderOptionsSetLoopInterleaving, void, (llvm_c::PassOptions, llvm_c::Bool))                                      \
  X(LLVMPassBuilderOptionsSetLoopVectorization, void, (llvm_c::PassOptions, llvm_c::Bool))                                     \
  X(LLVMPassBuilderOptionsSetSLPVectorization, void, (llvm_c::PassOptions, llvm_c::Bool))                                      \
  X(LLVMPassBuilderOptionsSetLoopUnrolling, void, (llvm_c::PassOptions, llvm_c::Bool))                                         \
  X(LLVMDisposePassBuilderOptions, void, (llvm_c::PassOptions))                                                                \
  X(LLVMRunPasses, llvm_c::Error, (llvm_c::Module, const char *passes, llvm_c::TargetMachine, llvm_c::PassOptions))            \
  X(LLVMGetErrorMessage, char *, (llvm_c::Error taken))                                                                        \
  X(LLVMDisposeErrorMessage, void, (char *))                                                                                   \
  X(LLVMConsumeError, void, (llvm_c::Error taken))                                                                             \
  X(LLVMOrcCreateLLJIT, llvm_c::Error, (llvm_c::Jit *, llvm_c::JitBuilder taken))                                              \
  X(LLVMOrcLLJITGetExecutionSession, llvm_c::Session, (llvm_c::Jit))                                                           \
  X(LLVMOrcLLJITGetGlobalPrefix, char, (llvm_c::Jit))                                                                          \
  X(LLVMOrcLLJITAddObjectFile, llvm_c::Error, (llvm_c::Jit, llvm_c::Dylib, llvm_c::MemoryBuffer taken))                        \
  X(LLVMOrcLLJITMangleAndIntern, llvm_c::Name, (llvm_c::Jit, const char *name))                                                \
  X(LLVMOrcExecutionSessionSetErrorReporter, void, (llvm_c::Session, llvm_c::ErrorReporter, void *))                           \
  X(LLVMOrcExecutionSessionCreateBareJITDylib, llvm_c::Dylib, (llvm_c::Session, const char *name))                             \
  X(LLVMOrcExecutionSessionLookup, void,                                                                                       \
    (llvm_c::Session, int kind, llvm_c::SearchElement *, std::size_t, llvm_c::LookupElement *names_taken, std::size_t,         \
     llvm_c::LookupHandler, void *))                                                                                           \
  X(LLVMOrcJITDylibAddGenerator, void, (llvm_c::Dylib, llvm_c::Generator taken))                                               \
  X(LLVMOrcJITDylibClear, llvm_c::Error, (llvm_c::Dylib))                                                                      \
  X(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, llvm_c::Error,                                                       \
    (llvm_c::Generator *, char global_prefix, llvm_c::SymbolPredicate, void *))

/// Pointers to the functions of one LLVM library, `library.LLVMContextCreate()`. All are set.
struct LlvmLibrary {
#define LATHE_LLVM_MEMBER(name, Result, parameters) Result(*name) parameters = nullptr;
  LATHE_LLVM_FUNCTIONS(LATHE_LLVM_MEMBER)
#undef LATHE_LLVM_MEMBER

  /// The release, 19.
  int major = 0;
};

/// Loads LLVM and sets up its back ends for x86-64 and aarch64. Tries the file named by the environment variable LATHE_LLVM
/// alone if that is set, otherwise the usual names of releases 20 to 16, 19 first. The library stays loaded.
/// \throws Error J001 when there is none, J002 when it is older than 16 or lacks a function.
LlvmLibrary load_llvm();

}  // namespace lathe::inline LATHE_ABI
