// Loaded before a host, so that one allocation of the thread that has asked for it fails: the nth from now, 0 for none.
// Returns what was left to the one before: 0 if that has failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static _Thread_local int left;

int fail_at(int n) {
	int before = left;
	left = n;
	return before;
}

static int fails(void) {
	if (left == 0 || --left > 0) return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
