/* Feeds arbitrary bytes as a socket address. The report must show it unchanged, as one line of JSON. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../native/launcher/answer/net/address.h"
#include "../../native/launcher/answer/net/endpoint.h"
#include "../../native/launcher/report/report.h"
#include "../../native/launcher/report/violations.h"

/* The address ends where its memory ends, so the sanitizer finds a read beyond it. */
static void check_bounds(const union address *address, socklen_t length, const char *text)
{
	const size_t path = sizeof(sa_family_t);

	assert(strlen(text) < ADDRESS_TEXT);
	if (address->any.sa_family != AF_UNIX) {
		assert(text[0] != '\0');
		return;
	}
	assert(!is_pathname(address, length) || !is_abstract(address, length));
	if (is_abstract(address, length))
		assert(text[0] == '@' && strlen(text) == length - path);
	else if (is_pathname(address, length))
		assert(strncmp(text, address->bytes + path, length - path) == 0);
	else
		assert(text[0] == '\0' && length == path);
}

/* Decodes the inside of a JSON string, as report.c writes it, up to its closing quote. */
static const char *decode(const char *json, char *text)
{
	unsigned int byte;

	for (; *json && *json != '"'; json++) {
		assert((unsigned char)*json >= 0x20);
		if (*json == '\\') {
			assert(sscanf(json, "\\u%04x", &byte) == 1);
			*text++ = (char)byte;
			json += 5;
		} else {
			*text++ = *json;
		}
	}
	*text = '\0';
	return json;
}

static void check_line(const char *text)
{
	static const char before[] = "{\"event\":\"violation\",\"number\":0,\"kind\":\"connect\",\"call\":\"connect\","
				     "\"rule\":\"network\",\"pid\":1,\"inside\":0,\"program\":\"\","
				     "\"chain\":[],\"whole\":false,\"target\":\"";
	static const struct chain nobody;
	const struct violation violation = { "connect", "connect", "network", text, "" };
	char line[4096] = "", target[ADDRESS_TEXT];
	int ends[2];

	assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
	report_refusal(ends[0], 0, 1, 0, "", &nobody, &violation);
	assert(recv(ends[1], line, sizeof(line) - 1, MSG_DONTWAIT) > 0);
	close(ends[0]);
	close(ends[1]);
	assert(strncmp(line, before, sizeof(before) - 1) == 0);
	const char *end = decode(line + sizeof(before) - 1, target);
	assert(strcmp(target, text) == 0);
	assert(strcmp(end, "\",\"detail\":\"\"}\n") == 0);
}

/* An endpoint that is parsed from its own text must keep its meaning. It belongs to at most one class. */
static void check_endpoint(int domain, const union address *address, socklen_t length)
{
	struct endpoint endpoint, again;
	union address written;

	if (read_endpoint(domain, address, length, &endpoint) < 0)
		return;
	assert(address->any.sa_family == domain);
	assert(!is_anywhere(&endpoint) || !is_on_loopback(&endpoint));
	assert(is_loopback(address) == (is_anywhere(&endpoint) || is_on_loopback(&endpoint)) || is_v4(&endpoint));
	length = write_endpoint(domain, &endpoint, &written);
	assert(read_endpoint(domain, &written, length, &again) == 0);
	assert(memcmp(&endpoint.host, &again.host, sizeof(endpoint.host)) == 0 && endpoint.port == again.port);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	union address *address = calloc(1, sizeof(*address));
	socklen_t length = address_length((socklen_t)size);
	char text[ADDRESS_TEXT];

	assert(length <= size && length < sizeof(*address));
	memcpy(address->bytes, data, length);
	if (length > 0) {
		check_bounds(address, length, show_address(address, length, text));
		if (is_internet(address))
			(void)is_loopback(address);
		check_endpoint(AF_INET, address, length);
		check_endpoint(AF_INET6, address, length);
		check_line(text);
	}
	free(address);
	return 0;
}
