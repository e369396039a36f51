/// The N-API face: converts and calls. What it calls is plain C++ beside it.
#include <napi.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "audit_binding.h"
#include "landlock.h"
#include "probe.h"

namespace {

Napi::Error SystemError(Napi::Env env, const std::string& what, int error, const std::string& path) {
  Napi::Error thrown = Napi::Error::New(env, what + ": " + std::strerror(error));
  thrown.Set("errno", Napi::Number::New(env, error));
  thrown.Set("step", Napi::String::New(env, what));
  thrown.Set("path", Napi::String::New(env, path));
  return thrown;
}

uint64_t Bits(const Napi::Object& object, const char* key) {
  return static_cast<uint64_t>(object.Get(key).As<Napi::Number>().Int64Value());
}

/// probe() -> {landlockAbi, landlockErrata, seccomp, listener, pidfdGetfd, namespaces: "none" | "root" | "user"}: what
/// this kernel grants this process, by trying it.
Napi::Value Probe(const Napi::CallbackInfo& info) {
  static const char* const kNames[] = {"none", "root", "user"};
  Napi::Object result = Napi::Object::New(info.Env());
  ion::Granted granted = ion::probe_granted();
  result.Set("landlockAbi", ion::landlock_abi());
  result.Set("landlockErrata", ion::landlock_errata());
  result.Set("seccomp", granted.seccomp);
  result.Set("listener", granted.listener);
  result.Set("pidfdGetfd", granted.pidfd_getfd);
  result.Set("namespaces", kNames[static_cast<int>(granted.namespaces)]);
  return result;
}

/// createRuleset({handledFs, handledNet, scoped, rules: [{path, access, optional}]}) -> {fd, skipped}.
/// Throws an Error with errno, step ("create" | "open" | "rule") and path.
Napi::Value CreateRuleset(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Object input = info[0].As<Napi::Object>();
  Napi::Array rules = input.Get("rules").As<Napi::Array>();
  ion::RulesetSpec spec;
  spec.handled_fs = Bits(input, "handledFs");
  spec.handled_net = Bits(input, "handledNet");
  spec.scoped = Bits(input, "scoped");
  spec.rules.reserve(rules.Length());
  for (uint32_t i = 0; i < rules.Length(); i++) {
    Napi::Object rule = rules.Get(i).As<Napi::Object>();
    spec.rules.push_back({rule.Get("path").As<Napi::String>().Utf8Value(), Bits(rule, "access"),
                          rule.Get("optional").ToBoolean().Value()});
  }
  ion::RulesetResult made = ion::create_ruleset(spec);
  if (made.error != 0) throw SystemError(env, made.step, made.error, made.path);
  Napi::Array skipped = Napi::Array::New(env);
  for (const std::string& path : made.skipped) skipped.Set(skipped.Length(), path);
  Napi::Object result = Napi::Object::New(env);
  result.Set("fd", made.fd);
  result.Set("skipped", skipped);
  return result;
}

/// memoryFile(buffer) -> descriptor of an unnamed file with these bytes that nothing can change any more.
/// Options go to the launcher in one: on a command line they would show in /proc.
Napi::Value MemoryFile(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Buffer<char> bytes = info[0].As<Napi::Buffer<char>>();
  int fd = memfd_create("ion-options", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw SystemError(env, "memfd_create", errno, "");
  size_t written = 0;
  while (written < bytes.Length()) {
    ssize_t count = write(fd, bytes.Data() + written, bytes.Length() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int error = errno;
      close(fd);
      throw SystemError(env, "write", error, "");
    }
    written += static_cast<size_t>(count);
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return Napi::Number::New(env, fd);
}

/// becomeSubreaper(): orphans of a killed launcher come to this process, which can then end them.
Napi::Value BecomeSubreaper(const Napi::CallbackInfo& info) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) throw SystemError(info.Env(), "subreaper", errno, "");
  return info.Env().Undefined();
}

/// parentOpenFiles() -> the parent's soft RLIMIT_NOFILE, or 0 if it cannot be read. Node raises its own soft limit at
/// start; the command gets what it would have had without ion.
Napi::Value ParentOpenFiles(const Napi::CallbackInfo& info) {
  struct rlimit limit;
  bool known = prlimit(getppid(), RLIMIT_NOFILE, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return Napi::Number::New(info.Env(), known ? static_cast<double>(limit.rlim_cur) : 0);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("probe", Napi::Function::New(env, Probe));
  exports.Set("createRuleset", Napi::Function::New(env, CreateRuleset));
  exports.Set("memoryFile", Napi::Function::New(env, MemoryFile));
  exports.Set("becomeSubreaper", Napi::Function::New(env, BecomeSubreaper));
  exports.Set("parentOpenFiles", Napi::Function::New(env, ParentOpenFiles));
  exports.Set("auditAppend", Napi::Function::New(env, ion::AuditAppend));
  return exports;
}

}  // namespace

NODE_API_MODULE(ion, Init)
