// Plays programs on an SDK for the tests of the library: host LIBRARY SCENE PROGRAM ARGUMENTS... It prints what the test
// wants to know, and ends with 0 if all went as it should.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../inprocess/copilot_runtime.h"

#define MUST(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "host.c:%d: not so: %s\n", __LINE__, #what); \
			_exit(1); \
		} \
	} while (0)

static __typeof__(copilot_runtime_host_start) *host_start;
static __typeof__(copilot_runtime_host_shutdown) *host_shutdown;
static __typeof__(copilot_runtime_connection_open) *connection_open;
static __typeof__(copilot_runtime_connection_write) *connection_write;
static __typeof__(copilot_runtime_connection_close) *connection_close;

// What a connection has got.
struct ear {
	atomic_size_t length;
	atomic_bool over; // nothing may come any more
	atomic_uint closing; // a connection that is closed from within a call
	atomic_bool stuck; // the call does not return
	atomic_bool forking; // the call forks
	atomic_int forked; // the process that it has made
	char text[1 << 16];
};

static void hear(void *of, const uint8_t *bytes, size_t length) {
	struct ear *e = of;
	if (atomic_load(&e->over)) {
		fprintf(stderr, "the callback came after the connection was closed\n");
		_exit(1);
	}
	size_t n = atomic_load(&e->length);
	size_t kept = length < sizeof e->text - 1 - n ? length : sizeof e->text - 1 - n; // of the first piece there is room for some
	memcpy(e->text + n, bytes, kept);
	atomic_store(&e->length, n + kept);
	while (atomic_load(&e->stuck)) sched_yield();
	if (atomic_exchange(&e->forking, false)) {
		pid_t pid = fork();
		if (pid > 0) atomic_store(&e->forked, pid);
	}
	uint32_t closing = atomic_exchange(&e->closing, 0);
	if (closing && connection_close(closing)) atomic_store(&e->over, true);
}

static void pause_ms(int ms) { usleep((useconds_t)ms * 1000); }

// until waits until the ear has the text. What it looks at is not written any more.
static void until(struct ear *e, const char *text) {
	while (!memmem(e->text, atomic_load(&e->length), text, strlen(text))) pause_ms(1);
}

static char argv_json[8192];

static uint32_t start(void) { return host_start((const uint8_t *)argv_json, strlen(argv_json), NULL, 0); }

static uint32_t open_ear(uint32_t host, struct ear *e) { return connection_open(host, hear, e, NULL, 0, NULL, 0, NULL, 0); }

static struct ear *new_ear(void) { return calloc(1, sizeof(struct ear)); }

static bool send_json(uint32_t connection, const char *json) {
	char frame[4096];
	int n = snprintf(frame, sizeof frame, "Content-Length: %zu\r\n\r\n%s", strlen(json), json);
	return connection_write(connection, (const uint8_t *)frame, (size_t)n);
}

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"message\":\"here\"}}";

// What this process holds of the memory of the machine.
static long memory_kb(void) {
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	MUST(f && fscanf(f, "%*d %ld", &pages) == 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static long before_kb; // the library was loaded

// A runtime answers, and ends.
static void scene_ping(void) {
	struct ear *e = new_ear();
	uint32_t host = start(), connection;
	MUST(host);
	MUST((connection = open_ear(host, e)));
	MUST(!open_ear(host, e));
	MUST(send_json(connection, ping));
	until(e, "\"id\":1");
	long grown = memory_kb() - before_kb;
	MUST(connection_close(connection));
	atomic_store(&e->over, true);
	MUST(!connection_write(connection, (const uint8_t *)"x", 1));
	MUST(host_shutdown(host));
	MUST(!host_shutdown(host) && !connection_close(connection));
	printf("%s\ngrew by %ld KB\n", e->text, grown);
}

// No runtime: nothing that is tried starts.
static void scene_fails(void) { MUST(start() == 0); }

static void *closes(void *of) {
	connection_close((uint32_t)(uintptr_t)of); // which is also done by the end of the host
	return NULL;
}

// A connection is closed while the runtime writes, times times: by another thread, from within a call, by ending the host,
// by two threads in both ways.
static void scene_closing(int times) {
	for (int i = 0; i < times; i++) {
		struct ear *e = new_ear();
		uint32_t host = start(), connection;
		MUST(host);
		MUST((connection = open_ear(host, e)));
		while (atomic_load(&e->length) == 0) sched_yield();
		pthread_t other;
		if (i % 4 == 0) MUST(connection_close(connection));
		if (i % 4 == 0) atomic_store(&e->over, true);
		if (i % 4 == 1) atomic_store(&e->closing, connection);
		if (i % 4 == 3) MUST(pthread_create(&other, NULL, closes, (void *)(uintptr_t)connection) == 0);
		MUST(host_shutdown(host));
		atomic_store(&e->over, true);
		if (i % 4 == 3) MUST(pthread_join(other, NULL) == 0);
		free(e); // as SDKs do
	}
}

// 100 hosts, closed in another order than they were opened.
static void scene_many(void) {
	enum { MANY = 100 };
	uint32_t hosts[MANY], connections[MANY];
	struct ear *ears[MANY];
	for (int i = 0; i < MANY; i++) {
		ears[i] = new_ear();
		MUST((hosts[i] = start()));
		MUST((connections[i] = open_ear(hosts[i], ears[i])));
	}
	for (int i = 0; i < MANY; i++) {
		int k = i * 37 % MANY;
		until(ears[k], "\n");
		if (i % 2) MUST(connection_close(connections[k]));
		MUST(host_shutdown(hosts[k]));
	}
	MUST(waitpid(-1, NULL, WNOHANG) < 0); // no child is left
}

// The runtime does not read. Nothing blocks, the bound holds, and what was taken arrives.
static void scene_stopped(void) {
	static uint8_t piece[1 << 20];
	struct ear *e = new_ear();
	uint32_t host = start(), connection = open_ear(host, e);
	size_t taken = 0;
	MUST(host && connection);
	until(e, "\n");
	pid_t pid = (pid_t)atoi(e->text);
	while (connection_write(connection, piece, sizeof piece)) MUST((taken += sizeof piece) < 100u << 20);
	MUST(taken >= 60u << 20);
	MUST(!connection_write(connection, piece, sizeof piece));
	kill(pid, SIGCONT);
	while (!connection_write(connection, piece, sizeof piece)) pause_ms(1);
	taken += sizeof piece;
	MUST(connection_close(connection)); // which lets all of it arrive
	MUST(host_shutdown(host));
	printf("%zu\n", taken);
}

// The host forks without running another program, as Python's multiprocessing does.
static void scene_forks(void) {
	struct ear *e = new_ear();
	uint32_t host = start(), connection = open_ear(host, e);
	MUST(host && connection);
	pid_t pid = fork();
	if (pid == 0) {
		MUST(!send_json(connection, ping) && !connection_close(connection) && !host_shutdown(host));
		struct ear *own = new_ear();
		uint32_t another = start(), to = open_ear(another, own);
		MUST(another && to && send_json(to, ping));
		until(own, "\"id\":1");
		MUST(host_shutdown(another));
		_exit(0);
	}
	int status = 1;
	MUST(waitpid(pid, &status, 0) == pid && status == 0);
	MUST(send_json(connection, ping));
	until(e, "\"id\":1");
	MUST(host_shutdown(host));
}

// The callback forks, and the process that it makes returns from it.
static void scene_callback_forks(void) {
	struct ear *e = new_ear();
	atomic_store(&e->forking, true);
	uint32_t host = start(), connection = open_ear(host, e);
	MUST(host && connection && send_json(connection, ping));
	until(e, "\"id\":1");
	pid_t pid = atomic_load(&e->forked);
	MUST(pid > 0);
	int waited = 0;
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		pause_ms(1);
		if (waited++ == 5000) kill(pid, SIGKILL);
	}
	MUST(waited < 5000); // it has nothing to do there
	MUST(host_shutdown(host));
}

static long long now_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// The callback does not return: closing and ending wait for it, but not for ever, and it may use the ear afterwards.
static void scene_stuck(void) {
	struct ear *e = new_ear();
	atomic_store(&e->stuck, true);
	uint32_t host = start(), connection = open_ear(host, e);
	MUST(host && connection && send_json(connection, ping));
	while (atomic_load(&e->length) == 0) sched_yield();
	long long begin = now_ms();
	MUST(connection_close(connection));
	MUST(now_ms() - begin >= 2000 && now_ms() - begin < 6000);
	MUST(host_shutdown(host));
	MUST(now_ms() - begin < 15000);
	atomic_store(&e->stuck, false);
	pause_ms(100);
}

// The runtime ends by itself. The host sees that when it writes, and nothing of it is left, also before it shuts down.
static void scene_crashes(void) {
	struct ear *e = new_ear();
	uint32_t host = start(), connection = open_ear(host, e);
	MUST(host && connection);
	until(e, "\n");
	pid_t pid = (pid_t)atoi(e->text);
	kill(pid, SIGKILL);
	while (kill(pid, 0) == 0) pause_ms(1);
	while (send_json(connection, ping)) pause_ms(1);
	MUST(host_shutdown(host) && !connection_close(connection));
}

// The host takes the status of every child, as some do, before the library can.
static void scene_reaps(void) {
	uint32_t host = start();
	MUST(host);
	pid_t pid = 0;
	FILE *children = fopen("/proc/thread-self/children", "r");
	MUST(children && fscanf(children, "%d", &pid) == 1);
	fclose(children);
	kill(pid, SIGKILL);
	MUST(waitpid(-1, NULL, 0) == pid);
	long long begin = now_ms();
	MUST(host_shutdown(host) && now_ms() - begin < 1000);
}

// The host has closed its standard streams.
static void scene_bare(void) {
	int out = dup(1), err = dup(2);
	for (int fd = 0; fd < 3; fd++) close(fd);
	uint32_t host = start();
	bool untaken = fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0; // what it prints goes nowhere
	bool good = host && host_shutdown(host);
	dup2(out, 1);
	dup2(err, 2);
	MUST(good && untaken);
}

// The host has few descriptors left: nothing starts, or all works, and none is lost.
static void scene_descriptors(void) {
	struct rlimit limit;
	MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	bool opened = false;
	for (rlim_t n = 3; n < 16; n++) {
		MUST(setrlimit(RLIMIT_NOFILE, &(struct rlimit){n, limit.rlim_max}) == 0);
		struct ear *e = new_ear();
		uint32_t host = start(), connection = host ? open_ear(host, e) : 0;
		if (connection) until(e, "\n");
		opened = connection != 0;
		if (host) MUST(host_shutdown(host));
		free(e);
		MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		int next = dup(0);
		MUST(next < 5);
		close(next);
	}
	MUST(opened);
}

// Memory runs out at each place where the library wants some: nothing starts, or all works.
static void scene_memory(void) {
	int (*fail_at)(int) = (int (*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "fail_at"); // of scarce.c
	MUST(fail_at);
	bool whole = false;
	for (int n = 1; n < 100 && !whole; n++) {
		struct ear *e = new_ear();
		fail_at(n);
		uint32_t host = start(), connection = host ? open_ear(host, e) : 0;
		whole = fail_at(0) > 0;
		MUST(connection || !whole);
		if (host) MUST(host_shutdown(host));
	}
	MUST(whole);
}

// The host ends as it can: without closing, killed, or killed while a process that it has forked lives on.
static void scene_ends(const char *how) {
	struct ear *e = new_ear();
	uint32_t host = start();
	MUST(host && open_ear(host, e));
	until(e, "\n");
	printf("%.*s\n", (int)(strchr(e->text, '\n') - e->text), e->text);
	fflush(stdout);
	if (strcmp(how, "forked") == 0 && fork() == 0) {
		close(1); // the test reads it to its end
		close(2);
		pause_ms(10000);
		_exit(0);
	}
	if (strcmp(how, "leaves") != 0) kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
	if (argc < 4) return 2;
	before_kb = memory_kb();
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	host_start = dlsym(library, "copilot_runtime_host_start");
	host_shutdown = dlsym(library, "copilot_runtime_host_shutdown");
	connection_open = dlsym(library, "copilot_runtime_connection_open");
	connection_write = dlsym(library, "copilot_runtime_connection_write");
	connection_close = dlsym(library, "copilot_runtime_connection_close");
	char *w = argv_json;
	*w++ = '[';
	for (int i = 3; i < argc; i++) w += sprintf(w, "%s\"%s\"", i > 3 ? "," : "", argv[i]);
	strcpy(w, "]");
	alarm(300);
	const char *scene = argv[2];
	if (strcmp(scene, "ping") == 0) scene_ping();
	else if (strcmp(scene, "fails") == 0) scene_fails();
	else if (strncmp(scene, "closing", 7) == 0) scene_closing(atoi(scene + 7));
	else if (strcmp(scene, "many") == 0) scene_many();
	else if (strcmp(scene, "stopped") == 0) scene_stopped();
	else if (strcmp(scene, "forks") == 0) scene_forks();
	else if (strcmp(scene, "callback-forks") == 0) scene_callback_forks();
	else if (strcmp(scene, "stuck") == 0) scene_stuck();
	else if (strcmp(scene, "crashes") == 0) scene_crashes();
	else if (strcmp(scene, "reaps") == 0) scene_reaps();
	else if (strcmp(scene, "ignores") == 0) signal(SIGCHLD, SIG_IGN), scene_ping();
	else if (strcmp(scene, "bare") == 0) scene_bare();
	else if (strcmp(scene, "descriptors") == 0) scene_descriptors();
	else if (strcmp(scene, "memory") == 0) scene_memory();
	else scene_ends(scene);
	return 0;
}
