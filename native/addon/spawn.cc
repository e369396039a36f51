#include "spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace ion {
namespace {

/// Shared with the child while the parent is stopped (CLONE_VFORK): the child allocates nothing and writes only here.
struct Child {
  const char* file;
  const char* cwd;
  char* const* argv;
  char* const* envp;
  const int* from;
  int* safe;  ///< copies above all targets, so that no dup2 runs over a source
  int count;
  SpawnResult* result;
};

int fail(Child* child, const char* step) {
  child->result->step = step;
  child->result->error = errno;
  _exit(125);
}

bool place_descriptors(Child* child) {
  for (int i = 0; i < child->count; i++) {
    int from = child->from[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : child->from[i];
    if (from < 0) return false;
    child->safe[i] = fcntl(from, F_DUPFD_CLOEXEC, 64);
    if (child->safe[i] < 0) return false;
  }
  for (int i = 0; i < child->count; i++)
    if (dup2(child->safe[i], i) < 0) return false;  // the copy is not close-on-exec
  return true;
}

int run_child(void* argument) {
  Child* child = static_cast<Child*>(argument);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  // A handler of the parent's must not run on its memory; after exec they would be gone anyway, ignored ones not.
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, nullptr);
  if (!place_descriptors(child)) return fail(child, "dup2");
  if (chdir(child->cwd) < 0) return fail(child, "chdir");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(child->file, child->argv, child->envp);
  return fail(child, "exec");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

SpawnResult spawn_process(const SpawnSpec& spec) {
  alignas(16) static thread_local char stack[64 * 1024];
  SpawnResult result;
  std::vector<char*> environment = pointers(spec.environment);
  char* argv[] = {const_cast<char*>(spec.name.c_str()), nullptr};
  std::vector<int> safe(spec.descriptors.size(), -1);
  Child child{spec.file.c_str(), spec.cwd.c_str(),  argv, environment.data(), spec.descriptors.data(),
              safe.data(),       static_cast<int>(spec.descriptors.size()), &result};

  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // No exit signal: libuv's own SIGCHLD handling is not disturbed.
  pid_t pid = clone(run_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &child);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    result.step = "clone";
    result.error = error;
  } else if (result.error != 0) {
    reap_process(pid);
  } else {
    result.pid = pid;
  }
  return result;
}

int reap_process(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, __WALL) < 0)
    if (errno != EINTR) return -errno;
  return status;
}

}  // namespace ion
