// The functions by which the GitHub Copilot SDKs host a runtime "in process". This library runs the program
// sidestick as a child and carries the bytes between it and the SDK, so that the host process outlives whatever
// happens to the runtime. docs/sdk.md says which SDKs load it, and where they look for it.
//
// All functions may be called from any thread. They install no signal handler, write to no output of the host, and
// leave its environment, its working directory and its other children alone.
#ifndef COPILOT_RUNTIME_H
#define COPILOT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define COPILOT_RUNTIME_API __declspec(dllexport)
#else
#define COPILOT_RUNTIME_API __attribute__((visibility("default")))
#endif

// Bytes that the runtime has written. They are valid during the call only, and cut anywhere. It is called by one
// thread of a connection at a time.
typedef void (*copilot_runtime_outbound)(void *user_data, const uint8_t *bytes, size_t length);

// Starts a runtime and waits until it is ready, for at most 30 seconds. argv is a JSON array of strings: the program
// and its arguments, or arguments alone, if the first one begins with "-"; then the program is sidestick or copilot in
// the folder of this library, or in the one above prebuilds/<platform>. env is a JSON object of strings, set over the
// environment of the host for the runtime only; null for none. Returns 0 if it does not start; the program has then
// said why on the standard error of the host.
COPILOT_RUNTIME_API uint32_t copilot_runtime_host_start(const uint8_t *argv, size_t argv_length, const uint8_t *env,
                                                        size_t env_length);

// Ends a runtime, and its connection if that is still open. Waits until it has ended: it has 8 seconds to record what it
// has, and is killed then. False: there is no such host.
COPILOT_RUNTIME_API bool copilot_runtime_host_shutdown(uint32_t host);

// Opens the connection of a host, and begins to call callback. A host has one connection: returns 0 for a second one.
// The three pairs are reserved, and not read.
COPILOT_RUNTIME_API uint32_t copilot_runtime_connection_open(uint32_t host, copilot_runtime_outbound callback,
                                                             void *user_data, const uint8_t *a, size_t a_length,
                                                             const uint8_t *b, size_t b_length, const uint8_t *c,
                                                             size_t c_length);

// Takes a copy of the bytes, to be sent to the runtime, and returns at once. False: the connection is closed, the runtime
// has ended, or it has not read 64 MiB of what it was sent before. Nothing of the bytes is sent then.
COPILOT_RUNTIME_API bool copilot_runtime_connection_write(uint32_t connection, const uint8_t *bytes, size_t length);

// Closes a connection. callback is not called afterwards. A call that is under way is waited for, unless this function
// is called from within it; for at most 2 seconds, because the thread that closes may be the one that has to carry it
// out, as in Node. False: there is no such connection.
COPILOT_RUNTIME_API bool copilot_runtime_connection_close(uint32_t connection);

// Of newer SDKs, which do not load a library without them. There are no actions of a window here: the first one returns
// whether there is such a connection, the second one false.
COPILOT_RUNTIME_API bool copilot_runtime_connection_set_ui_thread_handler(uint32_t connection, bool set);
COPILOT_RUNTIME_API bool copilot_runtime_connection_run_ui_action(uint32_t connection, uint32_t action);

#endif
