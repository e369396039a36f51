#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "violations.h"

#define LINE_MAX_BYTES 65536
#define TEXT_MAX_BYTES 12288

/* Lines that ion has not taken yet. The supervisor must never wait for ion: ion may be stopped, and time limits and the
 * end of the tree do not wait. A line that finds no room is dropped whole. */
static struct {
	char bytes[1u << 20];
	size_t length;
	unsigned long long dropped;
} queue;

bool report_waits(void)
{
	return queue.length > 0;
}

void report_flush(int control)
{
	size_t sent = 0;

	while (sent < queue.length) {
		/* MSG_NOSIGNAL: ion may be gone, and the tree must still be killed. */
		ssize_t written = send(control, queue.bytes + sent, queue.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno != EAGAIN)
			sent = queue.length; /* nobody reads any more */
		if (written <= 0)
			break;
		sent += (size_t)written;
	}
	memmove(queue.bytes, queue.bytes + sent, queue.length - sent);
	queue.length -= sent;
}

void report_drain(int control, int limit_ms)
{
	struct pollfd wait = { .fd = control, .events = POLLOUT };

	report_flush(control);
	while (queue.length > 0 && poll(&wait, 1, limit_ms) > 0)
		report_flush(control);
}

static void send_line(int control, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void send_line(int control, const char *format, ...)
{
	static char line[LINE_MAX_BYTES]; /* the supervisor is one thread */
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length <= 0 || length >= (int)sizeof(line))
		return;
	report_flush(control);
	/* The last line, which says how the run ended, always has room. */
	bool last = strncmp(line, "{\"event\":\"fi", 12) == 0 || strncmp(line, "{\"event\":\"fa", 12) == 0;
	size_t room = sizeof(queue.bytes) - queue.length;
	if (room < (size_t)length + (last ? 0 : LINE_MAX_BYTES)) {
		queue.dropped++;
		return;
	}
	memcpy(queue.bytes + queue.length, line, (size_t)length);
	queue.length += (size_t)length;
	report_flush(control);
}

unsigned long long report_dropped(void)
{
	return queue.dropped;
}

/* `text` as the inside of a JSON string, cut to fit `size`. Bytes above 0x7f are passed as they are where they may
 * be UTF-8; ion decodes with replacement. */
static const char *escaped(const char *text, char *buffer, size_t size)
{
	size_t length = 0;

	for (; *text && length + 7 < size; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f)
			length += (size_t)snprintf(buffer + length, size - length, "\\u%04x", byte);
		else
			buffer[length++] = (char)byte;
	}
	buffer[length] = '\0';
	return buffer;
}

void report_failed(int control, const char *step, int error, const char *detail)
{
	char text[1024];

	send_line(control, "{\"event\":\"failed\",\"step\":\"%s\",\"errno\":%d,\"error\":\"%s\",\"detail\":\"%s\"}\n", step,
		  error, strerror(error), escaped(detail ? detail : "", text, sizeof(text)));
}

void report_started(int control, int pid)
{
	send_line(control, "{\"event\":\"started\",\"pid\":%d}\n", pid);
}

void report_limit(int control, const char *limit, uint64_t value, int pid)
{
	send_line(control, "{\"event\":\"limit\",\"limit\":\"%s\",\"value\":%llu,\"pid\":%d}\n", limit,
		  (unsigned long long)value, pid);
}

void report_stopped(int control, int signal)
{
	send_line(control, "{\"event\":\"stopped\",\"signal\":%d}\n", signal);
}

void report_refusal(int control, size_t number, int pid, const char *program, const struct violation *violation)
{
	char target[TEXT_MAX_BYTES], detail[TEXT_MAX_BYTES], by[TEXT_MAX_BYTES];

	send_line(control,
		  "{\"event\":\"violation\",\"number\":%zu,\"kind\":\"%s\",\"call\":\"%s\",\"rule\":\"%s\",\"pid\":%d,"
		  "\"program\":\"%s\",\"target\":\"%s\",\"detail\":\"%s\"}\n",
		  number, violation->kind, violation->call, violation->rule, pid, escaped(program, by, sizeof(by)),
		  escaped(violation->target, target, sizeof(target)),
		  escaped(violation->detail, detail, sizeof(detail)));
}

void report_refusal_count(int control, size_t number, uint64_t count)
{
	send_line(control, "{\"event\":\"violations\",\"number\":%zu,\"count\":%llu}\n", number,
		  (unsigned long long)count);
}

void report_untold(int control, uint64_t count)
{
	send_line(control, "{\"event\":\"untold\",\"count\":%llu}\n", (unsigned long long)count);
}

void report_touched(int control, const char *path)
{
	char text[TEXT_MAX_BYTES];

	send_line(control, "{\"event\":\"touched\",\"target\":\"%s\"}\n", escaped(path, text, sizeof(text)));
}

void report_exec(int control, int pid, const char *command)
{
	char text[TEXT_MAX_BYTES];

	send_line(control, "{\"event\":\"exec\",\"pid\":%d,\"command\":\"%s\"}\n", pid,
		  escaped(command, text, sizeof(text)));
}

static long long microseconds(struct timeval time)
{
	return time.tv_sec * 1000000ll + time.tv_usec;
}

void report_finished(int control, const struct ending *ending)
{
	int status = ending->status;

	send_line(control,
		  "{\"event\":\"finished\",\"because\":\"%s\",\"code\":%d,\"signal\":%d,\"asked\":%d,\"left\":%d,"
		  "\"userUs\":%lld,\"systemUs\":%lld,\"maxRssKb\":%ld}\n",
		  ending->because, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		  WIFSIGNALED(status) ? WTERMSIG(status) : 0, ending->signal, ending->left,
		  microseconds(ending->usage.ru_utime), microseconds(ending->usage.ru_stime),
		  ending->usage.ru_maxrss);
}
