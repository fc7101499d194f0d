// Plays a runtime for the tests of the library: child MODE. The library adds a flag behind the mode.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text) {
	if (write(1, text, strlen(text)) < 0) _exit(3);
}

int main(int argc, char **argv) {
	const char *mode = argc > 1 ? argv[1] : "";
	char bytes[1 << 16] = {0};
	signal(SIGPIPE, SIG_DFL);
	if (strcmp(mode, "noise") == 0) {
		say("Content-Length: 2\r\n\r\n{}");
		return 0;
	}
	if (strcmp(mode, "early") == 0) return 1;
	say("ready\n");
	if (strcmp(mode, "pid") == 0) {
		dprintf(1, "%d\n", (int)getpid());
	} else if (strcmp(mode, "stop") == 0) { // until somebody continues it
		dprintf(1, "%d\n", (int)getpid());
		raise(SIGSTOP);
	} else if (strcmp(mode, "flood") == 0) { // as fast as it is read, until its input ends
		if (fork() == 0) {
			while (write(1, bytes, sizeof bytes) > 0) {}
			_exit(0);
		}
	}
	uint64_t total = 0;
	ssize_t got;
	while ((got = read(0, bytes, sizeof bytes)) > 0) total += (uint64_t)got;
	if (strcmp(mode, "stop") == 0) dprintf(1, "%llu\n", (unsigned long long)total);
	if (strcmp(mode, "flood") == 0) kill(0, SIGKILL); // with what it has forked
	return 0;
}
