/* Compiled into a launcher with sanitizers. Reports go to files, because nothing reads the supervisor's stderr. A report
 * ends the supervisor. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Leak detection is off: it needs ptrace(2), which the launcher forbids, and the launcher ends with its run anyway. */
const char *__asan_default_options(void)
{
	return "log_path=" REPORTS "/asan:exitcode=99:halt_on_error=1:detect_leaks=0:detect_stack_use_after_return=0";
}

const char *__ubsan_default_options(void)
{
	return "log_path=" REPORTS "/ubsan:exitcode=99:halt_on_error=1:print_stacktrace=1";
}

/* In a build with the thread sanitizer alone. */
const char *__tsan_default_options(void)
{
	return "log_path=" REPORTS "/tsan:exitcode=99:halt_on_error=1:report_signal_unsafe=0";
}

#if __has_feature(thread_sanitizer)
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

/* The sanitizer's own clone(3) takes each child for one with a memory of its own. The launcher's child shares it. */
int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	return __clone(function, stack, flags, argument);
}
#endif

static int shared;

static void *count(void *unused)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return unused;
}

static void race(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, count, NULL))
		return;
	count(NULL);
	pthread_join(thread, NULL);
}

/* Tests that a report arrives where the runner looks for it. */
__attribute__((constructor)) static void fail_on_demand(void)
{
	const char *wanted = getenv("ION_SANITIZE_FAIL");
	volatile int number = 2147483647;
	volatile char *bytes = malloc(8);

	if (wanted && strcmp(wanted, "address") == 0)
		bytes[8 + (number & 0)] = 1;
	if (wanted && strcmp(wanted, "undefined") == 0)
		number++;
	if (wanted && strcmp(wanted, "thread") == 0)
		race();
	free((void *)bytes);
}
