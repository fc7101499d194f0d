// Plays programs on an SDK for the tests of the library: host LIBRARY SCENE PROGRAM ARGUMENTS... It prints what the test
// wants to know, and ends with 0 if all went as it should.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
	char text[1 << 16];
};

static void hear(void *of, const uint8_t *bytes, size_t length) {
	struct ear *e = of;
	if (atomic_load(&e->over)) {
		fprintf(stderr, "the callback came after the connection was closed\n");
		_exit(1);
	}
	size_t n = atomic_load(&e->length);
	if (n + length < sizeof e->text) {
		memcpy(e->text + n, bytes, length);
		atomic_store(&e->length, n + length);
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

// A runtime answers, and ends.
static void scene_ping(void) {
	struct ear *e = new_ear();
	uint32_t host = start(), connection;
	MUST(host);
	MUST((connection = open_ear(host, e)));
	MUST(!open_ear(host, e));
	MUST(send_json(connection, ping));
	until(e, "\"id\":1");
	MUST(connection_close(connection));
	atomic_store(&e->over, true);
	MUST(!connection_write(connection, (const uint8_t *)"x", 1));
	MUST(host_shutdown(host));
	MUST(!host_shutdown(host) && !connection_close(connection));
	puts(e->text);
}

// No runtime: nothing that is tried starts.
static void scene_fails(void) { MUST(start() == 0); }

// A connection is closed while the runtime writes, times times: by another thread, from within a call, by ending the host.
static void scene_closing(int times) {
	for (int i = 0; i < times; i++) {
		struct ear *e = new_ear();
		uint32_t host = start(), connection;
		MUST(host);
		MUST((connection = open_ear(host, e)));
		while (atomic_load(&e->length) == 0) sched_yield();
		if (i % 3 == 0) MUST(connection_close(connection));
		if (i % 3 == 1) atomic_store(&e->closing, connection);
		if (i % 3 == 0) atomic_store(&e->over, true);
		MUST(host_shutdown(host));
		atomic_store(&e->over, true);
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
	else scene_ends(scene);
	return 0;
}
