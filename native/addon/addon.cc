/// The N-API interface: converts and calls. The called code is plain C++ beside it.
#include <napi.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "closed_to_others.h"
#include "audit_binding.h"
#include "../launcher/cleanup/remove_folder.h"
#include "landlock.h"
#include "probe.h"
#include "spawn.h"

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

/// exist(paths) -> booleans, following links. A start checks some two hundred, which takes a millisecond from JavaScript.
Napi::Value Exist(const Napi::CallbackInfo& info) {
  Napi::Array paths = info[0].As<Napi::Array>();
  Napi::Array result = Napi::Array::New(info.Env(), paths.Length());
  for (uint32_t i = 0; i < paths.Length(); i++) {
    std::string path = paths.Get(i).As<Napi::String>().Utf8Value();
    // A name with a NUL in it is not the name before the NUL.
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
  if (made.error != 0) throw SystemError(env, made.step, made.error, made.path);
  Napi::Array skipped = Napi::Array::New(env);
  for (const std::string& path : made.skipped) skipped.Set(skipped.Length(), path);
  Napi::Object result = Napi::Object::New(env);
  result.Set("fd", made.fd);
  result.Set("skipped", skipped);
  return result;
}

/// memoryFile(buffer) -> descriptor of an unnamed, immutable file with these bytes. Options go to the launcher in one: on
/// a command line they would show in /proc.
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

std::vector<std::string> Strings(const Napi::Array& array) {
  std::vector<std::string> list;
  list.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); i++) list.push_back(array.Get(i).As<Napi::String>().Utf8Value());
  return list;
}

std::vector<int> Descriptors(const Napi::Array& array) {
  std::vector<int> list;
  for (uint32_t i = 0; i < array.Length(); i++) list.push_back(array.Get(i).As<Napi::Number>().Int32Value());
  return list;
}

/// spawn(file, [argument 0, ...], [fd, ...]) -> pid. The child has these descriptors as 0, 1, 2 ... (-1: /dev/null) and no
/// others, and an empty environment. Throws an Error with errno, step ("clone" | "dup2" | "exec") and path.
Napi::Value Spawn(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  ion::SpawnSpec spec;
  spec.file = info[0].As<Napi::String>().Utf8Value();
  spec.argv = Strings(info[1].As<Napi::Array>());
  spec.descriptors = Descriptors(info[2].As<Napi::Array>());
  ion::SpawnResult started = ion::spawn_process(spec);
  if (started.error != 0) throw SystemError(env, started.step, started.error, spec.file);
  return Napi::Number::New(env, started.pid);
}

/// sendDescriptors(socket, [fd, ...]): send them, -1 as /dev/null. Throws an Error with errno, step "sendmsg": EPIPE when
/// the other end is closed.
Napi::Value SendDescriptors(const Napi::CallbackInfo& info) {
  int error = ion::send_descriptors(info[0].As<Napi::Number>().Int32Value(), Descriptors(info[1].As<Napi::Array>()));
  if (error < 0) throw SystemError(info.Env(), "sendmsg", -error, "");
  return info.Env().Undefined();
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

/// reap(pid, limitMs) -> the status of a process that spawn() started, as from waitpid(2); 0 when it has not ended in time.
/// A negative limit: none.
Napi::Value Reap(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), ion::reap_process(info[0].As<Napi::Number>().Int32Value(), info[1].As<Napi::Number>().Int32Value()));
}

/// reapEnded(pid) -> whether this process, which spawn() started, is gone. Does not wait.
Napi::Value ReapEnded(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), waitpid(info[0].As<Napi::Number>().Int32Value(), nullptr, WNOHANG | __WALL) != 0);
}

/// channel() -> [ours, theirs]: a connected pair of stream sockets, both close-on-exec.
Napi::Value Channel(const Napi::CallbackInfo& info) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) throw SystemError(info.Env(), "socketpair", errno, "");
  Napi::Array pair = Napi::Array::New(info.Env(), 2);
  pair.Set(0u, ends[0]);
  pair.Set(1u, ends[1]);
  return pair;
}

/// halfClose(fd): the other end of this socket reads its end of file; what it writes still arrives.
Napi::Value HalfClose(const Napi::CallbackInfo& info) {
  if (shutdown(info[0].As<Napi::Number>().Int32Value(), SHUT_WR) < 0) throw SystemError(info.Env(), "shutdown", errno, "");
  return info.Env().Undefined();
}

/// follow(fd, callback(text | undefined)): read the descriptor to its end on a thread of its own. The callback gets each
/// piece as bytes, and undefined at the end; then it closes the descriptor, so that its number names no other before. (Node's own thread pool has four threads: as many
/// commands could run at once.)
Napi::Value Follow(const Napi::CallbackInfo& info) {
  int fd = info[0].As<Napi::Number>().Int32Value();
  auto deliver = Napi::ThreadSafeFunction::New(info.Env(), info[1].As<Napi::Function>(), "ion control channel", 0, 1);
  std::thread([fd, deliver]() mutable {
    std::string piece(65536, '\0');
    for (;;) {
      ssize_t count = read(fd, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;  // an error here is the launcher's death, like its end of file
      deliver.BlockingCall(new std::string(piece, 0, static_cast<size_t>(count)),
                           [](Napi::Env env, Napi::Function callback, std::string* text) {
                             callback.Call({Napi::Buffer<char>::Copy(env, text->data(), text->size())});
                             delete text;
                           });
    }
    deliver.BlockingCall([](Napi::Env env, Napi::Function callback) { callback.Call({env.Undefined()}); });
    deliver.Release();
  }).detach();
  return info.Env().Undefined();
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
  search->apart = Strings(info[1].As<Napi::Array>());
  try {
    search->found = std::async(std::launch::async, ion::closed_to_others, search->folder, search->apart);
    closed_search = std::move(search);
  } catch (const std::system_error&) {
    // No thread is available: closedToOthers searches itself.
  }
  return info.Env().Undefined();
}

/// closedToOthers(folder, apart) -> names below it that others may not read (closed_to_others.h).
Napi::Value ClosedToOthers(const Napi::CallbackInfo& info) {
  const std::string folder = info[0].As<Napi::String>().Utf8Value();
  const std::vector<std::string> apart = Strings(info[1].As<Napi::Array>());
  std::unique_ptr<ClosedSearch> started = std::move(closed_search);
  const bool same = started && started->folder == folder && started->apart == apart;
  const std::vector<std::string> names = same ? started->found.get() : ion::closed_to_others(folder, apart);
  auto result = Napi::Array::New(info.Env(), names.size());
  for (uint32_t i = 0; i < names.size(); i++) result.Set(i, names[i]);
  return result;
}

/// pipe() -> [read end, write end], both close-on-exec: Node's own pipes are sockets.
Napi::Value Pipe(const Napi::CallbackInfo& info) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) throw SystemError(info.Env(), "pipe", errno, "");
  auto result = Napi::Array::New(info.Env(), 2);
  result.Set(0u, ends[0]);
  result.Set(1u, ends[1]);
  return result;
}

/// becomeSubreaper(): this process adopts orphans of a killed launcher, and can then end them.
Napi::Value BecomeSubreaper(const Napi::CallbackInfo& info) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) throw SystemError(info.Env(), "subreaper", errno, "");
  return info.Env().Undefined();
}

/// parentOpenFiles() -> the parent's soft RLIMIT_NOFILE, or 0 if it cannot be read. Node raises its own soft limit at its
/// start. The command gets the value that it would have without ion.
Napi::Value ParentOpenFiles(const Napi::CallbackInfo& info) {
  struct rlimit limit;
  bool known = prlimit(getppid(), RLIMIT_NOFILE, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return Napi::Number::New(info.Env(), known ? static_cast<double>(limit.rlim_cur) : 0);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("probe", Napi::Function::New(env, Probe));
  exports.Set("createRuleset", Napi::Function::New(env, CreateRuleset));
  exports.Set("exist", Napi::Function::New(env, Exist));
  exports.Set("memoryFile", Napi::Function::New(env, MemoryFile));
  exports.Set("spawn", Napi::Function::New(env, Spawn));
  exports.Set("sendDescriptors", Napi::Function::New(env, SendDescriptors));
  exports.Set("lockFolder", Napi::Function::New(env, LockFolder));
  exports.Set("reap", Napi::Function::New(env, Reap));
  exports.Set("reapEnded", Napi::Function::New(env, ReapEnded));
  exports.Set("follow", Napi::Function::New(env, Follow));
  exports.Set("removeFolder", Napi::Function::New(env, RemoveFolder));
  exports.Set("channel", Napi::Function::New(env, Channel));
  exports.Set("halfClose", Napi::Function::New(env, HalfClose));
  exports.Set("searchClosed", Napi::Function::New(env, SearchClosed));
  exports.Set("closedToOthers", Napi::Function::New(env, ClosedToOthers));
  exports.Set("pipe", Napi::Function::New(env, Pipe));
  exports.Set("becomeSubreaper", Napi::Function::New(env, BecomeSubreaper));
  exports.Set("parentOpenFiles", Napi::Function::New(env, ParentOpenFiles));
  exports.Set("auditAppend", Napi::Function::New(env, ion::AuditAppend));
  return exports;
}

}  // namespace

NODE_API_MODULE(ion, Init)
