// The library for Windows; copilot_runtime.c is the same for Linux and macOS, and says more.
//
// A host is a child process in a job, which ends with the last handle to it: that is how the child ends with the host
// process. A connection has two threads: one reads what the child writes, the other sends what the SDK has written.
#include "copilot_runtime.h"

#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum {
	START_WAIT_MS = 30000,
	END_WAIT_MS = 8000,
	CALLBACK_WAIT_MS = 2000,
	READ_BYTES = 64 << 10,
	MAX_BACKLOG = 64 << 20,
};

static const char READY[] = "ready\n"; // what the child writes before its first frame

struct chunk {
	struct chunk *next;
	size_t length;
	uint8_t bytes[];
};

struct host {
	struct host *next;
	uint32_t id;
	HANDLE process, job, to, from; // to: the child's input; null once that has ended
	bool ending;

	// Of its connection.
	uint32_t connection;
	HANDLE reader, writer; // threads
	DWORD reader_id;
	copilot_runtime_outbound callback;
	void *user_data;
	bool closed, calling;
	unsigned waiting; // calls that wait for changed; they use the host
	struct chunk *first, *last;
	size_t backlog;
};

static SRWLOCK mutex = SRWLOCK_INIT; // guards all of this
static CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;
static struct host *hosts;
static uint32_t last_id;

static void lock(void) { AcquireSRWLockExclusive(&mutex); }
static void unlock(void) { ReleaseSRWLockExclusive(&mutex); }

// wide returns a text of UTF-8 in UTF-16; null if it is none.
static wchar_t *wide(const char *text) {
	int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
	wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;
	if (w) MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, w, n);
	return w;
}

// quoted appends an argument to a command line, in the form that programs take apart again (CommandLineToArgvW).
static wchar_t *quoted(wchar_t *to, const wchar_t *argument) {
	size_t slashes = 0;
	*to++ = L'"';
	for (;; argument++) {
		if (*argument == L'\\') {
			slashes++;
		} else {
			if (*argument == 0 || *argument == L'"')
				for (size_t i = 0; i < slashes; i++) *to++ = L'\\'; // each of these twice
			if (*argument == L'"') *to++ = L'\\';
			slashes = 0;
			if (*argument == 0) break;
		}
		*to++ = *argument;
	}
	*to++ = L'"';
	*to++ = L' ';
	return to;
}

// program_beside returns the path of the program that belongs to this library. Null if there is none.
static wchar_t *program_beside(void) {
	static const wchar_t *const names[] = {L"sidestick.exe", L"copilot.exe", L"..\\..\\sidestick.exe", L"..\\..\\copilot.exe"};
	enum { MOST = 32768 };
	HMODULE self;
	wchar_t *path = malloc((MOST + 32) * sizeof *path);
	if (!path || !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, (LPCWSTR)(const void *)READY, &self) ||
	    GetModuleFileNameW(self, path, MOST) == 0) {
		free(path);
		return NULL;
	}
	wchar_t *name = wcsrchr(path, L'\\');
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
		wcscpy(name + 1, names[i]);
		DWORD kind = GetFileAttributesW(path);
		if (kind != INVALID_FILE_ATTRIBUTES && !(kind & FILE_ATTRIBUTE_DIRECTORY)) return path;
	}
	free(path);
	return NULL;
}

// command_line returns the words as one line, with the program before them if they do not begin with it.
static wchar_t *command_line(const struct words *words) {
	bool named = words->count > 0 && words->at[0][0] != '-' && words->at[0][0] != 0;
	wchar_t *program = named ? NULL : program_beside();
	size_t most = 64 + (program ? 2 * wcslen(program) : 0);
	if (!named && !program) return NULL;
	for (size_t i = 0; i < words->count; i++) most += 2 * strlen(words->at[i]) + 4;
	wchar_t *line = malloc(most * sizeof *line), *to = line;
	if (line && program) to = quoted(to, program);
	for (size_t i = 0; line && i < words->count; i++) {
		wchar_t *w = wide(words->at[i]);
		if (w) {
			to = quoted(to, w);
		} else {
			free(line);
			line = NULL;
		}
		free(w);
	}
	if (line) wcscpy(to, L"--announce-ready");
	free(program);
	return line;
}

// name_length returns how long the name of a variable is; names may begin with "=".
static size_t name_length(const wchar_t *variable) {
	const wchar_t *end = wcschr(variable + 1, L'=');
	return end ? (size_t)(end - variable) : wcslen(variable);
}

// environment returns the variables of this process with those of over, names and values in turn.
static wchar_t *environment(const struct words *over) {
	wchar_t *mine = GetEnvironmentStringsW();
	size_t most = 2;
	for (wchar_t *e = mine; e && *e; e += wcslen(e) + 1) most += wcslen(e) + 1;
	for (size_t i = 0; i < over->count; i++) most += strlen(over->at[i]) + 2;
	wchar_t *env = mine ? malloc(most * sizeof *env) : NULL, *to = env;
	for (wchar_t *e = mine; env && *e; e += wcslen(e) + 1) {
		bool replaced = false;
		for (size_t i = 0; i < over->count && !replaced; i += 2) {
			wchar_t *name = wide(over->at[i]);
			replaced = name && wcslen(name) == name_length(e) && _wcsnicmp(name, e, wcslen(name)) == 0;
			free(name);
		}
		if (!replaced) to = wcscpy(to, e) + wcslen(e) + 1;
	}
	for (size_t i = 0; env && i + 1 < over->count; i += 2) {
		wchar_t *name = wide(over->at[i]), *value = wide(over->at[i + 1]);
		if (name && value) {
			wcscpy(to, name);
			wcscat(to, L"=");
			wcscat(to, value);
			to += wcslen(to) + 1;
		}
		free(name);
		free(value);
	}
	if (env) {
		if (to == env) *to++ = 0;
		*to = 0;
	}
	if (mine) FreeEnvironmentStringsW(mine);
	return env;
}

static void shut(HANDLE *h) {
	if (*h) CloseHandle(*h);
	*h = NULL;
}

// free_host frees what a host has, once no other thread uses it. No call finds it any more.
static void free_host(struct host *h) {
	lock();
	while (h->waiting) SleepConditionVariableSRW(&changed, &mutex, INFINITE, 0);
	unlock();
	while (h->first) {
		struct chunk *c = h->first;
		h->first = c->next;
		free(c);
	}
	shut(&h->to);
	shut(&h->from);
	shut(&h->reader);
	shut(&h->writer);
	shut(&h->process);
	shut(&h->job);
	free(h);
}

// spawn starts the program in a job of its own, before its first instruction runs. It gets the two pipes and standard error,
// and nothing else that the host could leave open.
static bool spawn(struct host *h, wchar_t *line, wchar_t *env) {
	SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
	HANDLE theirs[3] = {NULL, NULL, NULL};
	PROCESS_INFORMATION child = {0};
	SIZE_T size = 0;
	bool started = false;
	h->job = CreateJobObjectW(NULL, NULL);
	InitializeProcThreadAttributeList(NULL, 1, 0, &size);
	STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES}, .lpAttributeList = malloc(size)};
	if (h->job && SetInformationJobObject(h->job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
	    CreatePipe(&theirs[0], &h->to, &inherited, 0) && CreatePipe(&h->from, &theirs[1], &inherited, 0) &&
	    SetHandleInformation(h->to, HANDLE_FLAG_INHERIT, 0) && SetHandleInformation(h->from, HANDLE_FLAG_INHERIT, 0) &&
	    start.lpAttributeList && InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size)) {
		HANDLE own = GetStdHandle(STD_ERROR_HANDLE);
		DWORD passed = 2;
		if (own && own != INVALID_HANDLE_VALUE &&
		    DuplicateHandle(GetCurrentProcess(), own, GetCurrentProcess(), &theirs[2], 0, TRUE, DUPLICATE_SAME_ACCESS))
			passed = 3;
		start.StartupInfo.hStdInput = theirs[0];
		start.StartupInfo.hStdOutput = theirs[1];
		start.StartupInfo.hStdError = theirs[2];
		started = UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, theirs, passed * sizeof *theirs, NULL, NULL) &&
		          CreateProcessW(NULL, line, NULL, NULL, TRUE,
		                         CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT | CREATE_NO_WINDOW,
		                         env, NULL, &start.StartupInfo, &child);
		DeleteProcThreadAttributeList(start.lpAttributeList);
	}
	if (started && !AssignProcessToJobObject(h->job, child.hProcess)) {
		TerminateProcess(child.hProcess, 1);
		started = false;
	}
	if (child.hThread) ResumeThread(child.hThread);
	shut(&child.hThread);
	h->process = child.hProcess;
	for (int i = 0; i < 3; i++) shut(&theirs[i]);
	free(start.lpAttributeList);
	return started;
}

static bool await_ready(struct host *h) {
	ULONGLONG end = GetTickCount64() + START_WAIT_MS;
	for (size_t n = 0; n < sizeof READY - 1;) {
		DWORD there = 0, got = 0;
		char c;
		if (!PeekNamedPipe(h->from, NULL, 0, NULL, &there, NULL)) return false;
		if (there == 0) {
			if (GetTickCount64() >= end) return false;
			Sleep(1);
			continue;
		}
		if (!ReadFile(h->from, &c, 1, &got, NULL) || got != 1 || c != READY[n++]) return false;
	}
	return true;
}

static void end_child(struct host *h, DWORD wait_ms) {
	WaitForSingleObject(h->process, wait_ms);
	TerminateJobObject(h->job, 1); // also what it has started: that could hold the pipe which a thread reads
	WaitForSingleObject(h->process, INFINITE);
}

static struct host *find(uint32_t id, bool connection) {
	for (struct host *h = id ? hosts : NULL; h; h = h->next)
		if ((connection ? h->connection : h->id) == id) return h;
	return NULL;
}

static uint32_t next_id(void) {
	if (++last_id == 0) ++last_id;
	return last_id;
}

uint32_t copilot_runtime_host_start(const uint8_t *argv_json, size_t argv_length, const uint8_t *env_json, size_t env_length) {
	struct words words = {0}, over = {0};
	uint32_t id = 0;
	HMODULE self; // threads run its code: it stays where it is
	GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)(const void *)READY, &self);
	if (words_of_array(&words, argv_json, argv_length) &&
	    (!env_json || env_length == 0 || words_of_object(&over, env_json, env_length))) {
		wchar_t *line = command_line(&words), *env = environment(&over);
		struct host *h = line && env ? calloc(1, sizeof *h) : NULL;
		bool started = h && spawn(h, line, env);
		if (started && !await_ready(h)) {
			shut(&h->to);
			end_child(h, 1000);
			started = false;
		}
		if (started) {
			lock();
			id = h->id = next_id();
			h->next = hosts;
			hosts = h;
			unlock();
		} else if (h) {
			free_host(h);
		}
		free(line);
		free(env);
	}
	words_free(&words);
	words_free(&over);
	return id;
}

static DWORD WINAPI reads(void *of) {
	struct host *h = of;
	uint8_t bytes[READ_BYTES];
	DWORD got;
	while (ReadFile(h->from, bytes, READ_BYTES, &got, NULL)) {
		lock();
		bool open = h->calling = got > 0 && !h->closed;
		unlock();
		if (!open) continue;
		h->callback(h->user_data, bytes, got);
		lock();
		h->calling = false;
		WakeAllConditionVariable(&changed);
		unlock();
	}
	lock();
	h->closed = true;
	WakeAllConditionVariable(&changed);
	unlock();
	return 0;
}

static DWORD WINAPI writes(void *of) {
	struct host *h = of;
	bool open = true;
	lock();
	while (open) {
		while (!h->first && !h->closed) SleepConditionVariableSRW(&changed, &mutex, INFINITE, 0);
		struct chunk *c = h->first;
		if (!c) break; // it is closed, and all is sent
		unlock();
		for (size_t sent = 0; open && sent < c->length;) {
			DWORD n = 0;
			open = WriteFile(h->to, c->bytes + sent, (DWORD)(c->length - sent < READ_BYTES ? c->length - sent : READ_BYTES), &n, NULL);
			sent += n;
		}
		lock();
		h->backlog -= c->length;
		h->first = c->next;
		if (!h->first) h->last = NULL;
		free(c);
	}
	h->closed = true;
	shut(&h->to); // the child's input ends
	WakeAllConditionVariable(&changed);
	unlock();
	return 0;
}

uint32_t copilot_runtime_connection_open(uint32_t host, copilot_runtime_outbound callback, void *user_data, const uint8_t *a,
                                         size_t a_length, const uint8_t *b, size_t b_length, const uint8_t *c, size_t c_length) {
	(void)a, (void)a_length, (void)b, (void)b_length, (void)c, (void)c_length;
	uint32_t id = 0;
	lock();
	struct host *h = find(host, false);
	if (callback && h && !h->ending && h->connection == 0) {
		h->callback = callback;
		h->user_data = user_data;
		h->writer = CreateThread(NULL, 0, writes, h, 0, NULL);
		if (h->writer) h->reader = CreateThread(NULL, 0, reads, h, 0, &h->reader_id);
		if (h->reader) id = h->connection = next_id();
		else h->closed = true, WakeAllConditionVariable(&changed);
	}
	unlock();
	return id;
}

bool copilot_runtime_connection_write(uint32_t connection, const uint8_t *bytes, size_t length) {
	struct chunk *c = length > 0 && bytes ? malloc(sizeof *c + length) : NULL;
	if (c) {
		c->next = NULL;
		c->length = length;
		memcpy(c->bytes, bytes, length);
	}
	lock();
	struct host *h = find(connection, true);
	bool taken = h && !h->closed && (length == 0 || (c && (h->backlog == 0 || (h->backlog < MAX_BACKLOG && length <= MAX_BACKLOG - h->backlog))));
	if (taken && c) {
		if (h->last) h->last->next = c;
		else h->first = c;
		h->last = c;
		h->backlog += length;
		c = NULL;
		WakeAllConditionVariable(&changed);
	}
	unlock();
	free(c);
	return taken;
}

// close_connection ends the calls of the SDK. The caller holds the mutex.
static void close_connection(struct host *h) {
	h->closed = true;
	WakeAllConditionVariable(&changed);
	if (GetCurrentThreadId() == h->reader_id) return;
	ULONGLONG end = GetTickCount64() + CALLBACK_WAIT_MS, now;
	h->waiting++;
	while (h->calling && (now = GetTickCount64()) < end) SleepConditionVariableSRW(&changed, &mutex, (DWORD)(end - now), 0);
	h->waiting--;
	WakeAllConditionVariable(&changed);
}

bool copilot_runtime_connection_close(uint32_t connection) {
	lock();
	struct host *h = find(connection, true);
	bool known = h && !h->ending;
	if (known) close_connection(h);
	unlock();
	return known;
}

bool copilot_runtime_host_shutdown(uint32_t host) {
	lock();
	struct host *h = find(host, false);
	if (!h || h->ending) {
		unlock();
		return false;
	}
	h->ending = true;
	if (h->connection) close_connection(h);
	else if (!h->writer) shut(&h->to);
	for (struct host **at = &hosts; *at; at = &(*at)->next) {
		if (*at == h) {
			*at = h->next;
			break;
		}
	}
	bool within = h->connection && GetCurrentThreadId() == h->reader_id;
	unlock();
	end_child(h, END_WAIT_MS);
	// A thread that is in the SDK's callback may not come back; then what the host takes stays taken.
	if (within || (h->reader && WaitForSingleObject(h->reader, CALLBACK_WAIT_MS) != WAIT_OBJECT_0)) return true;
	if (h->writer) WaitForSingleObject(h->writer, INFINITE);
	free_host(h);
	return true;
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
