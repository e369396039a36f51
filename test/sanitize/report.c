/* Compiled into a launcher with sanitizers: reports go to files, because nobody reads the supervisor's stderr, and end it. */
#include <stdlib.h>
#include <string.h>

/* Leaks are not looked for: that needs ptrace(2) on a process that lets nobody look into it, and the launcher ends with its run. */
const char *__asan_default_options(void)
{
	return "log_path=" REPORTS "/asan:exitcode=99:halt_on_error=1:detect_leaks=0:detect_stack_use_after_return=0";
}

const char *__ubsan_default_options(void)
{
	return "log_path=" REPORTS "/ubsan:exitcode=99:halt_on_error=1:print_stacktrace=1";
}

/* Does a report end up where the runner looks for it? */
__attribute__((constructor)) static void fail_on_demand(void)
{
	const char *wanted = getenv("ION_SANITIZE_FAIL");
	volatile int number = 2147483647;
	volatile char *bytes = malloc(8);

	if (wanted && strcmp(wanted, "address") == 0)
		bytes[8 + (number & 0)] = 1;
	if (wanted && strcmp(wanted, "undefined") == 0)
		number++;
	free((void *)bytes);
}
