#pragma once

#include <napi.h>

namespace ion {

/// spawn(file, [argument 0, ...], [fd, ...]) -> pid. The child has these descriptors as 0, 1, 2 ... (-1: /dev/null) and no
/// others, and an empty environment. Throws an Error with errno, step ("clone" | "dup2" | "exec") and path.
Napi::Value Spawn(const Napi::CallbackInfo& info);

/// sendDescriptors(socket, [fd, ...]): send them, -1 as /dev/null. Throws an Error with errno, step "sendmsg": EPIPE when
/// the other end is closed.
Napi::Value SendDescriptors(const Napi::CallbackInfo& info);

/// reap(pid, limitMs) -> the status of a process that spawn() started, as from waitpid(2); 0 when it has not ended in time.
/// A negative limit: none.
Napi::Value Reap(const Napi::CallbackInfo& info);

/// reapEnded(pid) -> whether this process, which spawn() started, is gone. Does not wait.
Napi::Value ReapEnded(const Napi::CallbackInfo& info);

/// channel() -> [ours, theirs]: a connected pair of stream sockets, both close-on-exec.
Napi::Value Channel(const Napi::CallbackInfo& info);

/// halfClose(fd): the other end of this socket reads its end of file; what it writes still arrives.
Napi::Value HalfClose(const Napi::CallbackInfo& info);

/// follow(fd, callback(text | undefined)): read the descriptor to its end on a thread of its own. The callback gets each piece as
/// bytes, and undefined at the end. Only then the callback closes the descriptor, so that its number cannot name another one
/// earlier. (Node's own thread pool has four threads: as many commands could run at once.)
Napi::Value Follow(const Napi::CallbackInfo& info);

/// pipe() -> [read end, write end], both close-on-exec: Node's own pipes are sockets.
Napi::Value Pipe(const Napi::CallbackInfo& info);

/// becomeSubreaper(): this process adopts orphans of a killed launcher, and can then end them.
Napi::Value BecomeSubreaper(const Napi::CallbackInfo& info);

/// parentOpenFiles() -> the parent's soft RLIMIT_NOFILE, or 0 if it cannot be read. Node raises its own soft limit at its
/// start. The command gets the value that it would have without ion.
Napi::Value ParentOpenFiles(const Napi::CallbackInfo& info);

}  // namespace ion
