// The library for Linux and macOS. copilot_runtime_windows.c is the same for Windows.
//
// A host is a child process and one end of a pair of sockets, whose other end is the child's standard input and output.
// The child ends when its input ends: that is how it ends with the host process, whatever ends that.
// A connection has one thread. It reads what the child writes, and sends what the child did not take at once.
#define _GNU_SOURCE // clock_gettime, sigset_t
#include "copilot_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "words.h"

enum {
	END_WAIT_MS = 8000,      // for the child to end after its input has; it gives itself 5 s for its clients and its log
	CALLBACK_WAIT_MS = 2000, // for a callback under way, when a connection closes
	STACK_BYTES = 2 << 20,   // of a connection's thread, on which the callback of the SDK runs
	READ_BYTES = 64 << 10,
	MAX_BACKLOG = 64 << 20,
};

struct chunk {
	struct chunk *next;
	size_t length, sent;
	uint8_t bytes[];
};

struct host {
	struct host *next;
	uint32_t id;
	pid_t pid; // 0: it has been waited for
	int fd;     // -1 in a process that the host has forked
	int childs; // the child's end of fd, until it is started; else -1
	bool ending; // by a call of host_shutdown

	// Of its connection.
	uint32_t connection;    // 0: never opened
	pthread_t thread;       // valid if connection is not 0
	int wake[2];            // a pipe that wakes the thread
	copilot_runtime_outbound callback;
	void *user_data;
	bool closed;            // by the SDK, or because the child has closed its end
	bool calling;           // callback is under way
	bool thread_ended;
	unsigned waiting;           // calls that wait for changed; they use the host
	bool left;                  // the thread has to free the host, because nobody waits for it
	struct chunk *first, *last; // not sent yet
	size_t backlog;             // bytes of these
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards all of this
static pthread_cond_t changed;                            // any of calling, thread_ended, waiting
static struct host *hosts;
static uint32_t last_id;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

// The waits for changed must be as long as they say, also if somebody sets the clock. macOS cannot promise that.
static void init_changed(void) {
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
#ifdef __linux__
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
	pthread_cond_init(&changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

// A process that is forked has only the thread that has forked it, which may be that of a connection, in a callback. It
// must not keep a child of its parent alive.
static void forget_hosts(void) {
	for (struct host *h = hosts; h; h = h->next) {
		close(h->fd);
		if (h->childs >= 0) close(h->childs);
		if (h->connection) close_both(h->wake);
		h->fd = h->childs = -1;
		h->closed = true;
	}
	hosts = NULL; // the memory stays: free is not safe here
	pthread_mutex_init(&mutex, NULL);
	init_changed();
}

static void prepare(void) {
	init_changed();
	pthread_atfork(lock, unlock, forget_hosts);
}

// The time in ms from now, for pthread_cond_timedwait.
static struct timespec in_ms(long ms) {
	struct timespec t;
#ifdef __linux__
	clock_gettime(CLOCK_MONOTONIC, &t);
#else
	clock_gettime(CLOCK_REALTIME, &t);
#endif
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
	return t;
}

// find returns the host of an id, or of the id of its connection. The caller holds the mutex.
static struct host *find(uint32_t id, bool connection) {
	if (id == 0) return NULL;
	for (struct host *h = hosts; h; h = h->next)
		if ((connection ? h->connection : h->id) == id) return h;
	return NULL;
}

static uint32_t next_id(void) {
	if (++last_id == 0) ++last_id;
	return last_id;
}

// forget takes a host out of the table. The caller holds the mutex.
static void forget(struct host *h) {
	for (struct host **at = &hosts; *at; at = &(*at)->next) {
		if (*at == h) {
			*at = h->next;
			return;
		}
	}
}

// new_host returns a host in the table that no id leads to yet; null if there is no room for one.
static struct host *new_host(void) {
	struct host *h = calloc(1, sizeof *h);
	int fd[2];
	lock(); // a fork must not come between
	if (h && make_sockets(fd)) {
		h->fd = fd[0];
		h->childs = fd[1];
		h->next = hosts;
		hosts = h;
	} else {
		free(h);
		h = NULL;
	}
	unlock();
	return h;
}

// start_child starts the child of a host, and reports whether it is ready.
static bool start_child(struct host *h, char **argv, char **env) {
	h->pid = spawn(argv, env, h->childs);
	lock();
	close(h->childs);
	h->childs = -1;
	unlock();
	if (h->pid == 0) return false;
	if (await_ready(h->fd)) return true;
	shutdown(h->fd, SHUT_WR);
	end_child(h->pid, 1000); // it may be about to say why it cannot start
	return false;
}

uint32_t copilot_runtime_host_start(const uint8_t *argv_json, size_t argv_length, const uint8_t *env_json,
                                    size_t env_length) {
	struct words words = {0}, over = {0};
	char *program = NULL;
	uint32_t id = 0;
	pthread_once(&once, prepare);
	if (words_of_array(&words, argv_json, argv_length) &&
	    (!env_json || env_length == 0 || words_of_object(&over, env_json, env_length))) {
		char **argv = arguments(&words, &program), **env = environment(&over);
		struct host *h = argv && env ? new_host() : NULL;
		if (h) {
			bool started = start_child(h, argv, env);
			lock();
			if (started) {
				id = h->id = next_id();
			} else {
				forget(h);
				close(h->fd);
				free(h);
			}
			unlock();
		}
		free(argv);
		free(env);
	}
	words_free(&words);
	words_free(&over);
	free(program);
	return id;
}

// await waits until *what is as wanted, for at most ms. The caller holds the mutex.
static void await(struct host *h, const bool *what, bool wanted, long ms) {
	struct timespec end = in_ms(ms);
	h->waiting++;
	while (*what != wanted && pthread_cond_timedwait(&changed, &mutex, &end) != ETIMEDOUT) {}
	h->waiting--;
	pthread_cond_broadcast(&changed);
}

// free_host frees what a host has, once no other thread uses it. No call finds it any more.
static void free_host(struct host *h) {
	lock();
	while (h->waiting) pthread_cond_wait(&changed, &mutex);
	unlock();
	while (h->first) {
		struct chunk *c = h->first;
		h->first = c->next;
		free(c);
	}
	if (h->connection) close_both(h->wake);
	close(h->fd);
	free(h);
}

static void close_connection(struct host *h);

bool copilot_runtime_host_shutdown(uint32_t host) {
	lock();
	struct host *h = find(host, false);
	if (!h || h->ending) {
		unlock();
		return false;
	}
	h->ending = true;
	if (h->connection) close_connection(h);
	else shutdown(h->fd, SHUT_WR);
	pid_t pid = h->pid;
	unlock();
	if (pid) end_child(pid, END_WAIT_MS);
	shutdown(h->fd, SHUT_RDWR); // what the child has left may hold the other end
	lock();
	forget(h);
	bool join = h->connection && !pthread_equal(h->thread, pthread_self());
	if (join) {
		await(h, &h->thread_ended, true, CALLBACK_WAIT_MS);
		join = h->thread_ended;
	}
	h->left = h->connection && !join; // the thread is in the SDK's callback, perhaps in this very call
	bool left = h->left;
	unlock();
	if (left) return true;
	if (join) pthread_join(h->thread, NULL);
	free_host(h);
	return true;
}

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // child.c has set SO_NOSIGPIPE
#endif

static void wake_thread(struct host *h) {
	ssize_t written = write(h->wake[1], "", 1); // full: it wakes anyhow
	(void)written;
}

// send_backlog sends as much as the child takes. The caller holds the mutex. False: the connection has ended.
static bool send_backlog(struct host *h) {
	while (h->first) {
		struct chunk *c = h->first;
		ssize_t sent = send(h->fd, c->bytes + c->sent, c->length - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
		c->sent += (size_t)sent;
		h->backlog -= (size_t)sent;
		if (c->sent < c->length) return true;
		h->first = c->next;
		if (!h->first) h->last = NULL;
		free(c);
	}
	return true;
}

// end_input ends the input of the child once all is sent. The caller holds the mutex.
static void end_input(struct host *h) {
	if (h->closed && !h->first) shutdown(h->fd, SHUT_WR);
}

// pass gives bytes to the SDK, unless it has closed the connection: what the child writes then is not for anybody.
static void pass(struct host *h, const uint8_t *bytes, size_t length) {
	lock();
	bool open = h->calling = !h->closed;
	unlock();
	if (!open) return;
	h->callback(h->user_data, bytes, length);
	lock();
	h->calling = false;
	pthread_cond_broadcast(&changed);
	unlock();
}

// move waits until there is something to do, and does it. False: the child has closed its end.
static bool move(struct host *h, uint8_t *bytes) {
	lock();
	bool more = h->first != NULL, forked = h->fd < 0;
	unlock();
	if (forked) return false;
	struct pollfd p[2] = {
		{.fd = h->fd, .events = (short)(POLLIN | (more ? POLLOUT : 0))},
		{.fd = h->wake[0], .events = POLLIN},
	};
	if (poll(p, 2, -1) < 0) return errno == EINTR || errno == EAGAIN;
	if ((p[0].revents | p[1].revents) & POLLNVAL) return false; // the host has closed what is not its own
	if (p[1].revents) {
		ssize_t woken = read(h->wake[0], bytes, READ_BYTES);
		(void)woken;
	}
	if (p[0].revents & POLLOUT) {
		lock();
		bool open = send_backlog(h);
		if (open) end_input(h);
		unlock();
		if (!open) return false;
	}
	if (p[0].revents & (POLLIN | POLLHUP | POLLERR)) {
		ssize_t got = recv(h->fd, bytes, READ_BYTES, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
		if (got > 0) pass(h, bytes, (size_t)got);
	}
	return true;
}

// serve is the thread of a connection. It ends with the child, also if the SDK has closed the connection before: the child
// must be able to write what it has to before it ends.
static void *serve(void *of) {
	struct host *h = of;
	uint8_t bytes[READ_BYTES];
	while (move(h, bytes)) {}
	lock();
	h->closed = true;
	pid_t pid = h->fd < 0 ? 0 : h->pid;
	unlock();
	// What has ended is waited for now: until then nobody else gets its number, and it is not to be killed by it later.
	bool ended = pid && reap(pid, 1000);
	lock();
	if (ended) h->pid = 0;
	h->thread_ended = true;
	bool left = h->left;
	pthread_cond_broadcast(&changed);
	unlock();
	if (left) {
		pthread_detach(pthread_self());
		free_host(h);
	}
	return NULL;
}

// start_thread starts the thread of a connection. Signals are for the threads of the host, so it has them blocked, but for
// those that its own instructions cause: runtimes whose code the callback runs handle these.
static bool start_thread(struct host *h) {
	sigset_t all, before;
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0) return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(&h->thread, &attributes, serve, h) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

uint32_t copilot_runtime_connection_open(uint32_t host, copilot_runtime_outbound callback, void *user_data,
                                         const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length,
                                         const uint8_t *c, size_t c_length) {
	(void)a, (void)a_length, (void)b, (void)b_length, (void)c, (void)c_length;
	uint32_t id = 0;
	lock();
	struct host *h = find(host, false);
	if (callback && h && !h->ending && h->connection == 0 && make_pipe(h->wake)) {
		fcntl(h->wake[0], F_SETFL, O_NONBLOCK);
		fcntl(h->wake[1], F_SETFL, O_NONBLOCK);
		h->callback = callback;
		h->user_data = user_data;
		h->connection = next_id(); // before the thread: it may already call the SDK, which may write
		if (start_thread(h)) {
			id = h->connection;
		} else {
			h->connection = 0;
			close_both(h->wake);
		}
	}
	unlock();
	return id;
}

// keep adds bytes to what is not sent yet. The caller holds the mutex. False: there is no room for them.
static bool keep(struct host *h, const uint8_t *bytes, size_t length) {
	struct chunk *c = malloc(sizeof *c + length);
	if (!c) return false;
	*c = (struct chunk){.length = length};
	memcpy(c->bytes, bytes, length);
	if (h->last) h->last->next = c;
	else h->first = c;
	h->last = c;
	h->backlog += length;
	wake_thread(h);
	return true;
}

// take sends bytes, or keeps them. The caller holds the mutex.
static bool take(struct host *h, const uint8_t *bytes, size_t length) {
	// One piece is as long as the SDK makes it; only pieces behind it have to fit.
	if (h->backlog > 0 && (h->backlog >= MAX_BACKLOG || length > MAX_BACKLOG - h->backlog)) return false;
	size_t sent = 0;
	if (!h->first) {
		ssize_t now = send(h->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (now < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
		if (now > 0) sent = (size_t)now;
	}
	if (sent == length || keep(h, bytes + sent, length - sent)) return true;
	if (sent > 0) h->closed = true, end_input(h); // the child has a part: nothing can follow that
	return false;
}

bool copilot_runtime_connection_write(uint32_t connection, const uint8_t *bytes, size_t length) {
	lock();
	struct host *h = find(connection, true);
	bool taken = h && !h->closed && (length == 0 || (bytes && take(h, bytes, length)));
	unlock();
	return taken;
}

// close_connection ends the calls of the SDK. The caller holds the mutex.
static void close_connection(struct host *h) {
	h->closed = true;
	end_input(h);
	if (!pthread_equal(h->thread, pthread_self())) await(h, &h->calling, false, CALLBACK_WAIT_MS);
}

bool copilot_runtime_connection_close(uint32_t connection) {
	lock();
	struct host *h = find(connection, true);
	bool known = h && !h->ending;
	if (known) close_connection(h);
	unlock();
	return known;
}

bool copilot_runtime_connection_set_ui_thread_handler(uint32_t connection, bool set) {
	(void)set;
	lock();
	bool known = find(connection, true) != NULL;
	unlock();
	return known;
}

bool copilot_runtime_connection_run_ui_action(uint32_t connection, uint32_t action) {
	(void)connection, (void)action;
	return false;
}
