/* A process of the tree holds a socket. Prints, one line per question, whether the launcher finds it: by the kernel's data,
 * by a wrong cookie (that of another socket with the same inode number), and when no process holds it any more. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../native/launcher/answer/net/held_sockets.h"

static void tell(const char *question, const struct socket_id *id)
{
	int borrowed = borrow_from_tree(id);

	printf("%s: borrowed %s, held %s\n", question, borrowed >= 0 ? "yes" : borrowed == -ENOENT ? "no" : "error",
	       tree_holds_socket(id) ? "yes" : "no");
	if (borrowed >= 0)
		close(borrowed);
}

int main(void)
{
	struct stat info;
	uint64_t cookie;
	socklen_t length = sizeof(cookie);
	int held = socket(AF_UNIX, SOCK_STREAM, 0);

	if (held < 0 || fstat(held, &info) < 0 || getsockopt(held, SOL_SOCKET, SO_COOKIE, &cookie, &length) < 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	if (child < 0)
		return 1;
	close(held);
	struct socket_id id = { info.st_ino, { (uint32_t)cookie, (uint32_t)(cookie >> 32) } };
	struct socket_id low = { id.inode, { id.cookie[0] + 1, id.cookie[1] } };
	struct socket_id high = { id.inode, { id.cookie[0], id.cookie[1] + 1 } };
	tell("the socket", &id);
	tell("another with its number", &low);
	tell("one much later", &high);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	tell("one that is closed", &id);
	return 0;
}
