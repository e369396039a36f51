#include "spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ion {
namespace {

/// Shared with the child while the parent is stopped (CLONE_VFORK): the child allocates nothing and writes only here.
struct Child {
  const char* file;
  char* const* argv;
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
    child->safe[i] = fcntl(from, F_DUPFD_CLOEXEC, child->count);
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
  // A handler of the parent must not run on the parent's memory. exec resets handlers anyway, but not ignored signals.
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, nullptr);
  if (!place_descriptors(child)) return fail(child, "dup2");
  char* environment[] = {nullptr};
  execve(child->file, child->argv, environment);
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
  std::vector<char*> argv = pointers(spec.argv);
  std::vector<int> safe(spec.descriptors.size(), -1);
  Child child{spec.file.c_str(), argv.data(), spec.descriptors.data(), safe.data(),
              static_cast<int>(spec.descriptors.size()), &result};

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
    reap_process(pid, -1);
  } else {
    result.pid = pid;
  }
  return result;
}

int send_descriptors(int socket, const std::vector<int>& descriptors) {
  constexpr size_t most = 8;
  int sent[most];
  size_t count = descriptors.size();
  if (count == 0 || count > most) return -EINVAL;
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return -errno;
  for (size_t i = 0; i < count; i++) sent[i] = descriptors[i] < 0 ? nothing : descriptors[i];

  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(most * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), sent, count * sizeof(int));
  int error = 0;
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && (error = errno) == EINTR) error = 0;
  close(nothing);
  return -error;
}

int reap_process(pid_t pid, int limit_ms) {
  int status = 0;
  // A pidfd is readable when the last thread has ended. Before Linux 5.3 there is none, and the wait has no limit.
  const int process = limit_ms < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process >= 0) {
    struct pollfd wait = {process, POLLIN, 0};
    const int ready = poll(&wait, 1, limit_ms);
    close(process);
    if (ready == 0) return 0;
  }
  while (waitpid(pid, &status, __WALL) < 0)
    if (errno != EINTR) return -errno;
  return status;
}

}  // namespace ion
