/// The N-API interface: converts and calls. The called code is plain C++ beside it.
#include <napi.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <memory>
#include <string>
#include <system_error>

#include "../launcher/cleanup/remove_folder.h"
#include "audit_binding.h"
#include "closed_to_others.h"
#include "convert.h"
#include "landlock.h"
#include "probe.h"
#include "process_binding.h"

namespace {

uint64_t Bits(const Napi::Object& object, const char* key) {
  return static_cast<uint64_t>(object.Get(key).As<Napi::Number>().Int64Value());
}

/// probe() -> {landlockAbi, landlockErrata, seccomp, listener, pidfdGetfd, ownerlessEtc, pidNamespace, namespaces: "none" |
/// "root" | "user"}: what this kernel grants this process, by trying it.
Napi::Value Probe(const Napi::CallbackInfo& info) {
  static const char* const kNames[] = {"none", "root", "user"};
  Napi::Object result = Napi::Object::New(info.Env());
  ion::Granted granted = ion::probe_granted();
  result.Set("landlockAbi", ion::landlock_abi());
  result.Set("landlockErrata", ion::landlock_errata());
  result.Set("seccomp", granted.seccomp);
  result.Set("listener", granted.listener);
  result.Set("pidfdGetfd", granted.pidfd_getfd);
  result.Set("ownerlessEtc", granted.ownerless_etc);
  result.Set("pidNamespace", granted.own_processes);
  result.Set("namespaces", kNames[static_cast<int>(granted.namespaces)]);
  return result;
}

/// exist(paths) -> booleans, following links. A start checks some two hundred paths: from JavaScript that would take a
/// millisecond.
Napi::Value Exist(const Napi::CallbackInfo& info) {
  Napi::Array paths = info[0].As<Napi::Array>();
  Napi::Array result = Napi::Array::New(info.Env(), paths.Length());
  for (uint32_t i = 0; i < paths.Length(); i++) {
    std::string path = paths.Get(i).As<Napi::String>().Utf8Value();
    // A name that contains NUL must not be checked as the name before the NUL.
    bool there = path.find('\0') == std::string::npos && access(path.c_str(), F_OK) == 0;
    result.Set(i, Napi::Boolean::New(info.Env(), there));
  }
  return result;
}

/// createRuleset({handledFs, handledNet, scoped, rules: [{path, access, optional, canonical}]}) -> {fd, skipped}.
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
                          rule.Get("optional").ToBoolean().Value(), rule.Get("canonical").ToBoolean().Value()});
  }
  ion::RulesetResult made = ion::create_ruleset(spec);
  if (made.error != 0) throw ion::SystemError(env, made.step, made.error, made.path);
  Napi::Array skipped = Napi::Array::New(env);
  for (const std::string& path : made.skipped) skipped.Set(skipped.Length(), path);
  Napi::Object result = Napi::Object::New(env);
  result.Set("fd", made.fd);
  result.Set("skipped", skipped);
  return result;
}

/// memoryFile(buffer) -> descriptor of an unnamed, immutable file with these bytes. The launcher gets its options in
/// one of these: on a command line they would show in /proc.
Napi::Value MemoryFile(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Buffer<char> bytes = info[0].As<Napi::Buffer<char>>();
  int fd = memfd_create("ion-options", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw ion::SystemError(env, "memfd_create", errno, "");
  size_t written = 0;
  while (written < bytes.Length()) {
    ssize_t count = write(fd, bytes.Data() + written, bytes.Length() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int error = errno;
      close(fd);
      throw ion::SystemError(env, "write", error, "");
    }
    written += static_cast<size_t>(count);
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return Napi::Number::New(env, fd);
}

/// lockFolder(path) -> a descriptor that holds the folder's lock (flock(2), released when this process ends), or -1 when
/// another process holds it or the folder does not exist. Node has no flock.
Napi::Value LockFolder(const Napi::CallbackInfo& info) {
  std::string path = info[0].As<Napi::String>().Utf8Value();
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat locked, there;
  // A process that cleans up may have removed the folder between its creation and the lock.
  if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &locked) < 0 || lstat(path.c_str(), &there) < 0 ||
                  locked.st_dev != there.st_dev || locked.st_ino != there.st_ino)) {
    close(fd);
    fd = -1;
  }
  return Napi::Number::New(info.Env(), fd);
}

/// removeFolder(path) -> whether it is gone, with all its contents. Node's rmSync uses paths, and would follow a symlink
/// that another process puts in the place of a folder meanwhile.
Napi::Value RemoveFolder(const Napi::CallbackInfo& info) {
  std::string path = info[0].As<Napi::String>().Utf8Value();
  return Napi::Boolean::New(info.Env(), remove_folder(path.c_str()));
}

/// A search on a thread, while ion reads its config.
struct ClosedSearch {
  std::string folder;
  std::vector<std::string> apart;
  std::future<std::vector<std::string>> found;
};
std::unique_ptr<ClosedSearch> closed_search;

/// searchClosed(folder, apart): start closedToOthers on a thread. The next call of it with the same arguments takes the
/// result.
Napi::Value SearchClosed(const Napi::CallbackInfo& info) {
  auto search = std::make_unique<ClosedSearch>();
  search->folder = info[0].As<Napi::String>().Utf8Value();
  search->apart = ion::Strings(info[1].As<Napi::Array>());
  try {
    search->found = std::async(std::launch::async, ion::closed_to_others, search->folder, search->apart);
    closed_search = std::move(search);
  } catch (const std::system_error&) {
    // If no thread is available, closedToOthers searches itself.
  }
  return info.Env().Undefined();
}

/// closedToOthers(folder, apart) -> names below it that others may not read (closed_to_others.h).
Napi::Value ClosedToOthers(const Napi::CallbackInfo& info) {
  const std::string folder = info[0].As<Napi::String>().Utf8Value();
  const std::vector<std::string> apart = ion::Strings(info[1].As<Napi::Array>());
  std::unique_ptr<ClosedSearch> started = std::move(closed_search);
  const bool same = started && started->folder == folder && started->apart == apart;
  const std::vector<std::string> names = same ? started->found.get() : ion::closed_to_others(folder, apart);
  auto result = Napi::Array::New(info.Env(), names.size());
  for (uint32_t i = 0; i < names.size(); i++) result.Set(i, names[i]);
  return result;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("probe", Napi::Function::New(env, Probe));
  exports.Set("createRuleset", Napi::Function::New(env, CreateRuleset));
  exports.Set("exist", Napi::Function::New(env, Exist));
  exports.Set("memoryFile", Napi::Function::New(env, MemoryFile));
  exports.Set("spawn", Napi::Function::New(env, ion::Spawn));
  exports.Set("sendDescriptors", Napi::Function::New(env, ion::SendDescriptors));
  exports.Set("lockFolder", Napi::Function::New(env, LockFolder));
  exports.Set("reap", Napi::Function::New(env, ion::Reap));
  exports.Set("reapEnded", Napi::Function::New(env, ion::ReapEnded));
  exports.Set("follow", Napi::Function::New(env, ion::Follow));
  exports.Set("removeFolder", Napi::Function::New(env, RemoveFolder));
  exports.Set("channel", Napi::Function::New(env, ion::Channel));
  exports.Set("halfClose", Napi::Function::New(env, ion::HalfClose));
  exports.Set("searchClosed", Napi::Function::New(env, SearchClosed));
  exports.Set("closedToOthers", Napi::Function::New(env, ClosedToOthers));
  exports.Set("pipe", Napi::Function::New(env, ion::Pipe));
  exports.Set("becomeSubreaper", Napi::Function::New(env, ion::BecomeSubreaper));
  exports.Set("parentOpenFiles", Napi::Function::New(env, ion::ParentOpenFiles));
  exports.Set("auditAppend", Napi::Function::New(env, ion::AuditAppend));
  return exports;
}

}  // namespace

NODE_API_MODULE(ion, Init)
