// The child process of a host: what it is started with, how it says that it is ready, and how it ends.
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "words.h"

// Each makes a pair of descriptors that programs started by the host do not get. False: there is none; nothing is left open.
bool make_sockets(int fd[2]);
bool make_pipe(int fd[2]);

// close_both closes those of a pair that are open.
void close_both(int fd[2]);

// arguments returns argv with its program, the flag that has it say that it is ready, and a null at its end. Null if there
// is no program, or no memory. The texts belong to words, but for *program, which may be null; the caller frees both in
// any case.
char **arguments(const struct words *words, char **program);

// environment returns the variables of this process with those of over, names and values in turn, in one piece of memory.
char **environment(const struct words *over);

// spawn starts the program with its standard input and output at fd, in a process group of its own: what the user types
// at a terminal to stop the host must not stop the runtime before the host has closed its sessions. 0 if it cannot be
// started.
pid_t spawn(char **argv, char **env, int fd);

// await_ready reports whether the child says that it is ready, within 30 seconds. It reads nothing of what comes behind that.
bool await_ready(int fd);

// reap waits until the child has ended, for at most wait_ms, and reports whether it has. It waits for this child only. One
// whose status the host has taken, or whose status it ignores, has ended, too.
bool reap(pid_t pid, long wait_ms);

// end_child waits until the child has ended, whose input has ended, and kills it after wait_ms.
void end_child(pid_t pid, long wait_ms);

#endif
