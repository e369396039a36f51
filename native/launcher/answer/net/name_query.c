#include "answer/net/name_query.h"

enum { HEADER = 12, LABEL_MAX = 63 };

static bool is_query(const unsigned char *message, size_t length)
{
	const unsigned char response_or_other_kind = 0xf8;

	return length > HEADER && !(message[2] & response_or_other_kind) && (message[4] || message[5]);
}

bool read_query(const unsigned char *message, size_t length, char name[QUERY_NAME])
{
	size_t at = HEADER, written = 0;

	if (!is_query(message, length))
		return false;
	while (message[at] != 0) {
		size_t label = message[at++];
		/* A larger value is a pointer. A question comes first, so its name cannot point at an earlier one. */
		if (label > LABEL_MAX || label >= length - at || written + label + 2 > QUERY_NAME)
			return false;
		if (written > 0)
			name[written++] = '.';
		for (; label > 0; label--, at++)
			name[written++] = message[at] > ' ' && message[at] < 0x7f && message[at] != '.' ? (char)message[at] : '?';
	}
	if (written == 0)
		name[written++] = '.';
	name[written] = '\0';
	return true;
}
