/* Feeds arbitrary bytes as the netlink answer about unix sockets. The parser must not read beyond them. */
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The parser is a static function of this file. */
#include "../../native/launcher/answer/net/unix_owner.c"

bool tree_holds_socket(const struct socket_id *id)
{
	return id->inode != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stat info = { .st_ino = 7, .st_dev = 1 };
	struct socket_id socket;
	int ends[2];

	/* Datagrams like netlink's: each read returns one message, and an empty one ends the answer. */
	if (size > 32768 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		return 0;
	if (send(ends[0], data, size, 0) >= 0) {
		close(ends[0]);
		read_answer(ends[1], &info, &socket);
	} else {
		close(ends[0]);
	}
	close(ends[1]);
	return 0;
}
