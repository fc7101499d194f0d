#define _GNU_SOURCE // dladdr, pipe2, SOCK_CLOEXEC
#include "child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { START_WAIT_MS = 30000 }; // for the child to say that it is ready

// What the child writes before its first frame; see internal/app/serve.
static const char READY[] = "ready\n";

static long long now_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void sleep_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

void close_both(int fd[2]) {
	if (fd[0] >= 0) close(fd[0]);
	if (fd[1] >= 0) close(fd[1]);
}

// away moves fd out of the way of the three standard ones, which a host may have closed.
static int away(int fd) {
	if (fd < 0 || fd > 2) return fd;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return moved;
}

static void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

// both reports whether a pair was made. Where the system cannot make it close on exec, a program that another thread
// of the host starts at this moment gets it, and keeps the runtime alive as long as itself.
static bool both(int made, int fd[2]) {
	if (made != 0) return false;
	for (int i = 0; i < 2; i++) {
		fd[i] = away(fd[i]);
		if (fd[i] >= 0) close_on_exec(fd[i]);
	}
	if (fd[0] >= 0 && fd[1] >= 0) return true;
	close_both(fd);
	return false;
}

bool make_sockets(int fd[2]) {
#ifdef SOCK_CLOEXEC
	return both(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), fd);
#else
	if (!both(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), fd)) return false;
	setsockopt(fd[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
	return true;
#endif
}

bool make_pipe(int fd[2]) {
#ifdef __linux__
	return both(pipe2(fd, O_CLOEXEC), fd);
#else
	return both(pipe(fd), fd);
#endif
}

// joined returns the texts one after another, in memory of its own.
static char *joined(const char *a, size_t a_length, const char *b) {
	char *text = malloc(a_length + strlen(b) + 1);
	if (!text) return NULL;
	memcpy(text, a, a_length);
	strcpy(text + a_length, b);
	return text;
}

// program_beside returns the path of the program that belongs to this library: beside it, or in the folder above
// prebuilds/<platform>. Null if there is none.
static char *program_beside(void) {
	static const char *const names[] = {"sidestick", "copilot", "../../sidestick", "../../copilot"};
	Dl_info info;
	if (!dladdr((const void *)READY, &info) || !info.dli_fname) return NULL;
	char *library = realpath(info.dli_fname, NULL);
	char *program = NULL;
	const char *slash = library ? strrchr(library, '/') : NULL;
	for (size_t i = 0; slash && !program && i < sizeof names / sizeof *names; i++) {
		program = joined(library, (size_t)(slash - library) + 1, names[i]);
		if (program && access(program, X_OK) != 0) {
			free(program);
			program = NULL;
		}
	}
	free(library);
	return program;
}

char **arguments(const struct words *words, char **program) {
	bool named = words->count > 0 && words->at[0][0] != '-' && words->at[0][0] != 0;
	static char announce[] = "--announce-ready";
	char **argv = calloc(words->count + 3, sizeof *argv);
	*program = named ? NULL : program_beside();
	if (!argv || (!named && !*program)) {
		free(argv);
		return NULL;
	}
	size_t n = 0;
	if (!named) argv[n++] = *program;
	for (size_t i = 0; i < words->count; i++) argv[n++] = words->at[i];
	argv[n] = announce;
	return argv;
}

// same_name reports whether a variable NAME=VALUE has the name.
static bool same_name(const char *variable, const char *name) {
	size_t n = strlen(name);
	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

char **environment(const struct words *over) {
	size_t count = over->count / 2 + 1, bytes = 0;
	for (char **e = environ; e && *e; e++) count++;
	for (size_t i = 0; i < over->count; i++) bytes += strlen(over->at[i]) + 1;
	char **env = malloc(count * sizeof *env + bytes);
	if (!env) return NULL;
	char *text = (char *)(env + count);
	size_t n = 0;
	for (char **e = environ; e && *e; e++) {
		bool replaced = false;
		for (size_t i = 0; i < over->count && !replaced; i += 2) replaced = same_name(*e, over->at[i]);
		if (!replaced) env[n++] = *e;
	}
	for (size_t i = 0; i + 1 < over->count; i += 2) {
		env[n++] = text;
		text = stpcpy(text, over->at[i]);
		*text++ = '=';
		text = stpcpy(text, over->at[i + 1]) + 1;
	}
	env[n] = NULL;
	return env;
}

pid_t spawn(char **argv, char **env, int fd) {
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	pid_t pid = 0;
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
#ifdef POSIX_SPAWN_USEVFORK
	flags |= POSIX_SPAWN_USEVFORK; // before glibc 2.24 it would fork, and then forget_hosts closes fd
#endif
	sigemptyset(&none);
	sigfillset(&all);
	if (posix_spawn_file_actions_init(&actions) != 0) return 0;
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return 0;
	}
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
	flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
	if (fcntl(2, F_GETFD) >= 0) posix_spawn_file_actions_addinherit_np(&actions, 2); // one that is closed is an error
#endif
	bool ready = posix_spawn_file_actions_adddup2(&actions, fd, 0) == 0 &&
	             posix_spawn_file_actions_adddup2(&actions, fd, 1) == 0 &&
	             posix_spawnattr_setflags(&attributes, flags) == 0 &&
	             posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
	             posix_spawnattr_setsigdefault(&attributes, &all) == 0 && posix_spawnattr_setpgroup(&attributes, 0) == 0;
	if (!ready || posix_spawnp(&pid, argv[0], &actions, &attributes, argv, env) != 0) pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return pid;
}

bool await_ready(int fd) {
	long long end = now_ms() + START_WAIT_MS;
	for (size_t n = 0; n < sizeof READY - 1;) {
		char c;
		long long left = end - now_ms();
		if (left <= 0) return false;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int found = poll(&p, 1, (int)left);
		if (found < 0 && errno == EINTR) continue;
		if (found <= 0) return false;
		ssize_t got = recv(fd, &c, 1, MSG_DONTWAIT);
		if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
		if (got != 1 || c != READY[n]) return false;
		n++;
	}
	return true;
}

bool reap(pid_t pid, long wait_ms) {
	long long end = now_ms() + wait_ms;
	for (long pause = 1;; pause = pause < 20 ? pause * 2 : 20) {
		pid_t got = waitpid(pid, NULL, WNOHANG);
		if (got == pid || (got < 0 && errno == ECHILD)) return true;
		if (now_ms() >= end) return false;
		sleep_ms(pause);
	}
}

void end_child(pid_t pid, long wait_ms) {
	if (reap(pid, wait_ms)) return;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (!reap(pid, 60000)) kill(pid, SIGKILL);
}

