#define _GNU_SOURCE
#include "seccomp/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp/filter_rows.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "the system call tables are written for x86-64 and arm64"
#endif

#define ROWS_MAX 512
#define OWN_ROWS_MAX 64

struct builder {
	struct filter *filter;
	const struct row *rows[ROWS_MAX];
	struct row own[OWN_ROWS_MAX]; /* calls with a process of this run as operand */
	size_t count, own_count;
	bool full;
};

static void emit(struct builder *builder, struct sock_filter instruction)
{
	if (builder->filter->length == FILTER_MAX)
		builder->full = true;
	else
		builder->filter->code[builder->filter->length++] = instruction;
}

#define DATA(field) (unsigned int)offsetof(struct seccomp_data, field)
/* Both architectures are little-endian: the low half of an argument comes first. */
#define LOW(n) (DATA(args) + 8u * (n))
#define HIGH(n) (LOW(n) + 4u)
#define LOAD(offset) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (value))

static unsigned char test_length(const struct test *test)
{
	return test->op == POINTER ? 4 : 3;
}

/* Code for one test. It continues when the test holds, and otherwise jumps over `rest` more instructions. */
static void emit_test(struct builder *b, const struct test *test, unsigned char rest)
{
	emit(b, LOAD(LOW(test->argument)));
	if (test->op == POINTER) {
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2));
		emit(b, LOAD(HIGH(test->argument)));
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, rest, 0));
		return;
	}
	emit(b, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, test->mask));
	if (test->op == EQUAL)
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test->value, 0, rest));
	else
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test->value, rest, 0));
}

/* Code for one row: returns its answer when its tests hold, and continues otherwise. The number is known to be the row's. */
static void emit_row(struct builder *b, const struct row *row)
{
	unsigned char rest = 1; /* the return */

	for (int i = 0; i < row->tests; i++)
		rest += test_length(&row->test[i]);
	for (int i = 0; i < row->tests; i++) {
		rest -= test_length(&row->test[i]);
		emit_test(b, &row->test[i], rest);
	}
	emit(b, RETURN(row->error == NOTIFY ? SECCOMP_RET_USER_NOTIF :
		       row->error == ALLOW  ? SECCOMP_RET_ALLOW :
					      SECCOMP_RET_ERRNO | (row->error & SECCOMP_RET_DATA)));
}

/* The rows of all tables, by number. Rows of one number keep their order: the first one that holds answers. */
static void add_row(struct builder *b, const struct row *row)
{
	size_t at = b->count;

	if (at == ROWS_MAX) {
		b->full = true;
		return;
	}
	for (; at > 0 && b->rows[at - 1]->nr > row->nr; at--)
		b->rows[at] = b->rows[at - 1];
	b->rows[at] = row;
	b->count++;
}

static void add_own_row(struct builder *b, struct row row)
{
	if (b->own_count == OWN_ROWS_MAX) {
		b->full = true;
		return;
	}
	b->own[b->own_count] = row;
	add_row(b, &b->own[b->own_count++]);
}

/* The answers of the rows of one number, if the call has it. Rows after one without tests are never reached. */
static void emit_number(struct builder *b, const struct row *const *rows, size_t count)
{
	emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)rows[0]->nr, 1, 0));
	emit(b, RETURN(SECCOMP_RET_ALLOW));
	for (size_t i = 0; i < count; i++) {
		emit_row(b, rows[i]);
		if (rows[i]->tests == 0)
			return;
	}
	emit(b, RETURN(SECCOMP_RET_ALLOW));
}

/* Makes room for one more instruction at `at`. Jumps are relative, and none crosses this place. */
static void insert(struct builder *b, unsigned short at, struct sock_filter instruction)
{
	emit(b, instruction);
	if (b->full)
		return;
	struct sock_filter *code = b->filter->code;
	memmove(code + at + 1, code + at, (size_t)(b->filter->length - 1 - at) * sizeof(*code));
	code[at] = instruction;
}

/* Binary search over the numbers: a call with arguments to check takes eight comparisons instead of two hundred. A start saves
 * more: to find the calls that are always allowed, the kernel runs the program once for each call that it knows (kernel/seccomp.c,
 * seccomp_cache_prepare_bitmap). `rows` are sorted, and `count` is not 0. */
static void emit_search(struct builder *b, const struct row *const *rows, size_t count)
{
	size_t middle = count / 2;

	while (middle > 0 && rows[middle - 1]->nr == rows[middle]->nr)
		middle--;
	if (middle == 0)
		while (middle < count && rows[middle]->nr == rows[0]->nr)
			middle++;
	if (middle == count) {
		emit_number(b, rows, count);
		return;
	}
	unsigned short split = b->filter->length;
	emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned int)rows[middle]->nr, 0, 0));
	emit_search(b, rows, middle);
	if (b->full)
		return;
	unsigned int lower = b->filter->length - split - 1u;
	/* A conditional jump reaches 255 instructions, JA all. */
	if (lower <= 255) {
		b->filter->code[split].jt = (unsigned char)lower;
	} else {
		b->filter->code[split].jf = 1;
		insert(b, split + 1, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, lower));
	}
	emit_search(b, rows + middle, count - middle);
}

static void add_rows(struct builder *b, struct rows rows)
{
	for (size_t i = 0; i < rows.count; i++)
		add_row(b, &rows.list[i]);
}

static void add_aimed(struct builder *b, pid_t pid)
{
	for (size_t i = 0; i < aims_count; i++) {
		struct row row = { pid_arguments[i].nr, EPERM, 1, { { pid_arguments[i].argument, EQUAL, ALL, (unsigned int)pid } } };
		add_own_row(b, row);
	}
}

/* Without a Landlock scope. */
static void add_signals(struct builder *b, const struct filter_input *input)
{
	struct row group = { __NR_kill, EPERM, 1, { { 0, EQUAL, ALL, (unsigned int)-getpgrp() } } };

	add_rows(b, refused_unscoped);
	if (input->listener) {
		add_rows(b, asked_unscoped);
		return;
	}
	if (!input->own_processes) {
		add_own_row(b, group);
		add_rows(b, refused_signals_to_all);
	}
	add_rows(b, refused_unwatched);
}

/* These rows come after the refusals: of two rows that match, the first one decides. */
static void add_asked(struct builder *b, const struct filter_input *input)
{
	add_rows(b, asked);
	if (!input->own_processes)
		add_rows(b, asked_by_number);
	if (input->binds || input->report != REPORT_MINIMAL || input->denied)
		add_rows(b, asked_binds);
	if (input->network == NETWORK_LOOPBACK)
		add_rows(b, asked_listens);
	if (input->executions)
		add_rows(b, asked_executions);
	if (input->rechecks)
		add_rows(b, asked_rechecks);
	if (input->report != REPORT_MINIMAL) {
		add_rows(b, asked_writes);
		add_rows(b, asked_removals);
	} else if (input->given.one_way || input->given.appended) {
		add_rows(b, asked_opens);
	}
	if (input->given.appended)
		add_rows(b, asked_of_appended);
	if (input->report != REPORT_MINIMAL || input->denied) {
		add_rows(b, asked_makes);
		add_rows(b, asked_moves);
		add_rows(b, asked_metadata);
	}
	if (input->report == REPORT_ALL || input->denied || input->given.unread)
		add_rows(b, asked_reads);
	else if (input->script)
		add_rows(b, asked_script);
}

/* The newest system call that this filter knows (Linux 7.0: rseq_slice_yield). Calls of a later kernel return ENOSYS, and
 * libraries fall back: their effects have not been reviewed. */
#define NEWEST_CALL 471u

int build_filter(const struct filter_input *input, struct filter *filter)
{
	static struct builder builder;

	builder = (struct builder){ .filter = filter };
	filter->length = 0;
	add_rows(&builder, refused);
	if (!input->own_processes)
		add_rows(&builder, input->listener ? asked_limits : refused_limits);
	if (input->one_user)
		add_rows(&builder, refused_ids(geteuid(), getegid()));
	add_rows(&builder, input->listener ? asked_set_id : refused_set_id);
	if (input->closed)
		add_rows(&builder, refused_memory_files);
	if (input->given.appended)
		add_rows(&builder, refused_of_appended);
	if (input->network == NETWORK_LOOPBACK)
		add_rows(&builder, refused_beyond_loopback);
	if (!input->scoped)
		add_signals(&builder, input);
	if (input->listener)
		add_asked(&builder, input);
	add_rows(&builder, refused_families);
	if (input->no_multipath)
		add_rows(&builder, refused_multipath);
	if (input->network == NETWORK_NONE)
		add_rows(&builder, refused_internet);
	if (input->unix_closed)
		add_rows(&builder, refused_unix);
	add_rows(&builder, known_requests);
	if (!input->listed_devices)
		add_rows(&builder, other_requests);
	if (!input->own_processes) {
		add_aimed(&builder, input->ion);
		add_aimed(&builder, input->launcher);
	}

	/* A 32-bit program has other numbers for the same calls: none of the rows would hold for it. */
	emit(&builder, LOAD(DATA(arch)));
	emit(&builder, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0));
	emit(&builder, RETURN(SECCOMP_RET_KILL_PROCESS));
	emit(&builder, LOAD(DATA(nr)));
	/* This also refuses x32, whose numbers start at 1 << 30. */
	emit(&builder, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST_CALL, 0, 1));
	emit(&builder, RETURN(SECCOMP_RET_ERRNO | ENOSYS));
	emit_search(&builder, builder.rows, builder.count);
	return builder.full ? -E2BIG : 0;
}

#define NEW_LISTENER (1u << 3)
#define WAIT_KILLABLE_RECV (1u << 5)

int install_filter(const struct filter *filter, bool listener)
{
	struct sock_fprog program = { filter->length, (struct sock_filter *)filter->code };
	/* Without WAIT_KILLABLE_RECV (Linux 5.19) a signal restarts a call that is being checked. Go sends itself so many
	 * signals that some calls never end. */
	unsigned flags = listener ? NEW_LISTENER | WAIT_KILLABLE_RECV : 0;
	long fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

	return fd < 0 ? -errno : (int)fd;
}
