#define _GNU_SOURCE
#include "report/report.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/violations.h"

#define LINE_MAX_BYTES 65536
#define TEXT_MAX_BYTES 12288
#define KEPT_BYTES (3u << 20) /* part of the queue, reserved for lines that ion must receive */

/* Lines that ion has not read yet. The supervisor must never wait for ion: ion may be stopped, and time limits and the end of
 * the tree do not wait. A line without room is dropped as a whole. No thread waits while it holds the lock. */
static struct {
	pthread_mutex_t lock;
	char bytes[4u << 20];
	size_t length;
	unsigned long long dropped;
	bool ended; /* ion has the last line, or it is in the queue */
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool report_waits(void)
{
	pthread_mutex_lock(&queue.lock);
	bool waits = queue.length > 0;
	pthread_mutex_unlock(&queue.lock);
	return waits;
}

static void flush(int control)
{
	size_t sent = 0;

	while (sent < queue.length) {
		/* MSG_NOSIGNAL: ion may be gone, and the tree must still be killed. */
		ssize_t written = send(control, queue.bytes + sent, queue.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno != EAGAIN)
			sent = queue.length; /* ion is gone: drop the rest */
		if (written <= 0)
			break;
		sent += (size_t)written;
	}
	memmove(queue.bytes, queue.bytes + sent, queue.length - sent);
	queue.length -= sent;
}

void report_flush(int control)
{
	pthread_mutex_lock(&queue.lock);
	flush(control);
	pthread_mutex_unlock(&queue.lock);
}

void report_drain(int control, int limit_ms)
{
	struct pollfd wait = { .fd = control, .events = POLLOUT };

	report_flush(control);
	while (report_waits() && poll(&wait, 1, limit_ms) > 0)
		report_flush(control);
}

/* A command can cause lines faster than ion reads them. Two kinds have reserved room: lines that make ion check a file again,
 * and the last line, which says how the run ended. Returns the room to leave behind this line. */
static size_t room_to_leave(const char *line)
{
	static const struct {
		const char *start;
		size_t room;
	} kept[] = {
		{ "{\"event\":\"finished\"", 0 },
		{ "{\"event\":\"failed\"", 0 },
		{ "{\"event\":\"watched\"", LINE_MAX_BYTES },
		{ "{\"event\":\"more-touched\"", LINE_MAX_BYTES },
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strncmp(line, kept[i].start, strlen(kept[i].start)) == 0)
			return kept[i].room;
	return LINE_MAX_BYTES + KEPT_BYTES;
}

static bool add_line(int control, const char *line, size_t length)
{
	if (queue.ended)
		return false;
	flush(control);
	if (sizeof(queue.bytes) - queue.length < length + room_to_leave(line)) {
		queue.dropped++;
		return false;
	}
	memcpy(queue.bytes + queue.length, line, length);
	queue.length += length;
	flush(control);
	return true;
}

static bool send_line(int control, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool send_line(int control, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length <= 0 || length >= (int)sizeof(line))
		return false;
	pthread_mutex_lock(&queue.lock);
	bool added = add_line(control, line, (size_t)length);
	pthread_mutex_unlock(&queue.lock);
	return added;
}

/* An answering thread may return from a file system after the end. ion reads no line after the last one. */
static void take_no_more_lines(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.ended = true;
	pthread_mutex_unlock(&queue.lock);
}

unsigned long long report_dropped(void)
{
	pthread_mutex_lock(&queue.lock);
	unsigned long long dropped = queue.dropped;
	pthread_mutex_unlock(&queue.lock);
	return dropped;
}

/* Writes `text` as the inside of a JSON string, cut to fit `size`. Bytes above 0x7f that may be UTF-8 pass unchanged; ion decodes
 * with replacement. */
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

void report_started(int control, int pid, int inside)
{
	send_line(control, "{\"event\":\"started\",\"pid\":%d,\"inside\":%d}\n", pid, inside);
}

void report_limit(int control, const char *limit, uint64_t value, int pid, int inside)
{
	send_line(control, "{\"event\":\"limit\",\"limit\":\"%s\",\"value\":%llu,\"pid\":%d,\"inside\":%d}\n", limit,
		  (unsigned long long)value, pid, inside);
}

void report_stopped(int control, int signal)
{
	send_line(control, "{\"event\":\"stopped\",\"signal\":%d}\n", signal);
}

/* The words of a chain as the elements of a JSON array, the command first. */
static void put_chain(const struct chain *chain, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = chain->length; i-- > 0;) {
		char words[6 * sizeof(chain->words[0]) + 1];
		int added = snprintf(text + length, size - length, "%s\"%s\"", length == 0 ? "" : ",",
				     escaped(chain->words[i], words, sizeof(words)));
		if (added < 0 || (size_t)added >= size - length) {
			text[length] = '\0';
			return;
		}
		length += (size_t)added;
	}
}

void report_refusal(int control, size_t number, int pid, int inside, const char *program, const struct chain *chain,
		    const struct violation *violation)
{
	char target[TEXT_MAX_BYTES], detail[TEXT_MAX_BYTES], by[TEXT_MAX_BYTES], words[TEXT_MAX_BYTES];

	put_chain(chain, words, sizeof(words));
	send_line(control,
		  "{\"event\":\"violation\",\"number\":%zu,\"kind\":\"%s\",\"call\":\"%s\",\"rule\":\"%s\",\"pid\":%d,\"inside\":%d,"
		  "\"program\":\"%s\",\"chain\":[%s],\"whole\":%s,\"target\":\"%s\",\"detail\":\"%s\"}\n",
		  number, violation->kind, violation->call, violation->rule, pid, inside, escaped(program, by, sizeof(by)),
		  words, chain->whole ? "true" : "false", escaped(violation->target, target, sizeof(target)),
		  escaped(violation->detail, detail, sizeof(detail)));
}

void report_refusal_end(int control, size_t number, uint64_t count, bool failed)
{
	send_line(control, "{\"event\":\"violations\",\"number\":%zu,\"count\":%llu,\"failed\":%s}\n", number,
		  (unsigned long long)count, failed ? "true" : "false");
}

void report_unreported(int control, uint64_t count)
{
	send_line(control, "{\"event\":\"unreported\",\"count\":%llu}\n", (unsigned long long)count);
}

void report_reached_name(int control, const char *name, unsigned port)
{
	char text[1024];

	send_line(control, "{\"event\":\"reached\",\"target\":\"%s\",\"value\":%u}\n", escaped(name, text, sizeof(text)), port);
}

void report_asked_name(int control, size_t number, const char *name, int pid, int inside, const char *program)
{
	char text[1024], by[TEXT_MAX_BYTES];

	send_line(control,
		  "{\"event\":\"question\",\"number\":%zu,\"target\":\"%s\",\"pid\":%d,\"inside\":%d,\"program\":\"%s\"}\n",
		  number, escaped(name, text, sizeof(text)), pid, inside, escaped(program, by, sizeof(by)));
}

void report_answer(int control, size_t number, bool counts)
{
	send_line(control, "{\"event\":\"answered\",\"number\":%zu,\"value\":%d}\n", number, counts);
}

void report_held(int control)
{
	send_line(control, "{\"event\":\"held\"}\n");
}

static bool report_path(int control, const char *event, const char *path)
{
	char text[TEXT_MAX_BYTES];

	return send_line(control, "{\"event\":\"%s\",\"target\":\"%s\"}\n", event, escaped(path, text, sizeof(text)));
}

void report_watched(int control, const char *path)
{
	report_path(control, "watched", path);
}

bool report_touched(int control, const char *path)
{
	return report_path(control, "touched", path);
}

void report_more_touched(int control, const char *path)
{
	report_path(control, "more-touched", path);
}

void report_exec(int control, int pid, int inside, const char *program, const char *const *words, size_t count)
{
	static const char between[] = "\",\"";
	char text[TEXT_MAX_BYTES];
	size_t length = strlen(escaped(program, text, sizeof(text)));

	for (size_t i = 0; i < count && length + sizeof(between) + 7 < sizeof(text); i++) {
		memcpy(text + length, between, sizeof(between));
		length += sizeof(between) - 1;
		length += strlen(escaped(words[i], text + length, sizeof(text) - length));
	}
	send_line(control, "{\"event\":\"exec\",\"pid\":%d,\"inside\":%d,\"words\":[\"%s\"]}\n", pid, inside, text);
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
		  "\"userUs\":%lld,\"systemUs\":%lld,\"maxRssKb\":%ld,\"connections\":\"%s\"}\n",
		  ending->because, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		  WIFSIGNALED(status) ? WTERMSIG(status) : 0, ending->signal, ending->left,
		  microseconds(ending->usage.ru_utime), microseconds(ending->usage.ru_stime),
		  ending->usage.ru_maxrss, ending->connections);
	take_no_more_lines();
}
