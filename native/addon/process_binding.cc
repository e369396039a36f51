/// Processes, and the descriptors between them and ion.
#include "process_binding.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "convert.h"
#include "spawn.h"

namespace ion {

namespace {

std::vector<int> Descriptors(const Napi::Array& array) {
  std::vector<int> list;
  for (uint32_t i = 0; i < array.Length(); i++) list.push_back(array.Get(i).As<Napi::Number>().Int32Value());
  return list;
}

}  // namespace

Napi::Value Spawn(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  SpawnSpec spec;
  spec.file = info[0].As<Napi::String>().Utf8Value();
  spec.argv = Strings(info[1].As<Napi::Array>());
  spec.descriptors = Descriptors(info[2].As<Napi::Array>());
  SpawnResult started = spawn_process(spec);
  if (started.error != 0) throw SystemError(env, started.step, started.error, spec.file);
  return Napi::Number::New(env, started.pid);
}

Napi::Value SendDescriptors(const Napi::CallbackInfo& info) {
  int error = send_descriptors(info[0].As<Napi::Number>().Int32Value(), Descriptors(info[1].As<Napi::Array>()));
  if (error < 0) throw SystemError(info.Env(), "sendmsg", -error, "");
  return info.Env().Undefined();
}

Napi::Value Reap(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), reap_process(info[0].As<Napi::Number>().Int32Value(), info[1].As<Napi::Number>().Int32Value()));
}

Napi::Value ReapEnded(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), waitpid(info[0].As<Napi::Number>().Int32Value(), nullptr, WNOHANG | __WALL) != 0);
}

Napi::Value Channel(const Napi::CallbackInfo& info) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) throw SystemError(info.Env(), "socketpair", errno, "");
  Napi::Array pair = Napi::Array::New(info.Env(), 2);
  pair.Set(0u, ends[0]);
  pair.Set(1u, ends[1]);
  return pair;
}

Napi::Value HalfClose(const Napi::CallbackInfo& info) {
  if (shutdown(info[0].As<Napi::Number>().Int32Value(), SHUT_WR) < 0) throw SystemError(info.Env(), "shutdown", errno, "");
  return info.Env().Undefined();
}

Napi::Value Follow(const Napi::CallbackInfo& info) {
  int fd = info[0].As<Napi::Number>().Int32Value();
  const int flags = info[2].ToBoolean() ? MSG_WAITALL : 0;
  auto deliver = Napi::ThreadSafeFunction::New(info.Env(), info[1].As<Napi::Function>(), "ion control channel", 0, 1);
  std::thread([fd, flags, deliver]() mutable {
    std::string piece(65536, '\0');
    for (;;) {
      ssize_t count = recv(fd, piece.data(), piece.size(), flags);
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

Napi::Value Pipe(const Napi::CallbackInfo& info) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) throw SystemError(info.Env(), "pipe", errno, "");
  auto result = Napi::Array::New(info.Env(), 2);
  result.Set(0u, ends[0]);
  result.Set(1u, ends[1]);
  return result;
}

Napi::Value BecomeSubreaper(const Napi::CallbackInfo& info) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) throw SystemError(info.Env(), "subreaper", errno, "");
  return info.Env().Undefined();
}

Napi::Value ParentOpenFiles(const Napi::CallbackInfo& info) {
  struct rlimit limit;
  bool known = prlimit(getppid(), RLIMIT_NOFILE, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return Napi::Number::New(info.Env(), known ? static_cast<double>(limit.rlim_cur) : 0);
}

}  // namespace ion
