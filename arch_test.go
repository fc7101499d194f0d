package sidestick_test

import "testing"

// module is the path in go.mod, with the slash before a package.
const module = "github.com/sidestick-dev/sidestick/"

// rooms lists every package with its layer: this is the architecture. Data flows one way,
// jsonrpc → server → session → turn → (model, tool) → session → eventlog → Tail, and imports
// point down.
//
// A new package needs a line here, and a reason why the code does not belong in an existing
// package.
var rooms = []room{
	{path: "cmd/sidestick", layer: 13},
	{path: "internal/app", layer: 12},
	// One package per command, so that the file of a flag or a prompt is found by the name
	// of its command. The packages that they share are below them: wiring makes the runtime,
	// ask reads from the terminal, show writes to it; cli depends on neither.
	{path: "internal/app/agentcmd", layer: 9},
	{path: "internal/app/chat", layer: 11},
	{path: "internal/app/configcmd", layer: 9},
	{path: "internal/app/demo", layer: 9},
	{path: "internal/app/initcmd", layer: 9},
	{path: "internal/app/keyscmd", layer: 9},
	{path: "internal/app/mcpcmd", layer: 9},
	{path: "internal/app/replay", layer: 9},
	{path: "internal/app/serve", layer: 9},
	{path: "internal/app/sessions", layer: 9},
	// The program behind the terminal interface: which session it shows, and what commands do. The
	// interface itself (tui) knows no registry of sessions, and the line mode (chat) no pages.
	{path: "internal/app/front", layer: 10},
	// Both need the session that the flags name, in a runtime of this process.
	{path: "internal/app/entry", layer: 9},
	{path: "internal/app/ask", layer: 8},
	{path: "internal/app/show", layer: 8},
	// The terminal interface. Its parts know no session: each is tested as a value, and only tui
	// joins them.
	{path: "internal/tui", layer: 8},
	{path: "internal/tui/question", layer: 7},
	// Lists and texts made of data, which need no session to be tested.
	{path: "internal/tui/page", layer: 4},
	// Runs programs and reads files, which the input box itself never does.
	{path: "internal/tui/exchange", layer: 4},
	{path: "internal/tui/cell", layer: 3},
	{path: "internal/tui/composer", layer: 3},
	{path: "internal/tui/list", layer: 3},
	{path: "internal/tui/pager", layer: 3},
	// Writing rows to a terminal needs to know the kind of terminal, which package terminal does.
	{path: "internal/tui/screen", layer: 3},
	// Ranking is measured and tested without the box, and lists and pickers can use it too.
	{path: "internal/tui/complete", layer: 2},
	{path: "internal/tui/diff", layer: 2},
	// Filters, searches and names are typed in three places; the input box of messages is no
	// text field of one line.
	{path: "internal/tui/field", layer: 2},
	{path: "internal/tui/markdown", layer: 2},
	// Markdown and diffs have code in the same colours.
	{path: "internal/tui/code", layer: 1},
	{path: "internal/tui/input", layer: 1},
	// One table of keys, for dispatch, help, the documentation and the settings file.
	{path: "internal/tui/keymap", layer: 1},
	{path: "internal/tui/row", layer: 0},
	// What the user is asked is data, which the line mode (ask) and the terminal interface show in
	// their own ways; the rules about answers are tested without a terminal.
	{path: "internal/question", layer: 6},
	{path: "internal/app/wiring", layer: 8},
	{path: "internal/app/cli", layer: 6},
	{path: "internal/app/localserver", layer: 6},
	{path: "internal/server", layer: 7},
	// Separate from server: it serves chats over HTTP and shares nothing with the JSON-RPC
	// rules. Both only translate.
	{path: "internal/web", layer: 7},
	// What a user does with an open session beside sending messages, as functions: the line mode
	// and the terminal interface print the results, each in its way.
	{path: "internal/operate", layer: 7},
	// What operate is for a session of this process, this is for one of a server: the terminal
	// interface uses either, and the connection is tested without a terminal.
	{path: "internal/remote", layer: 8},
	{path: "internal/session", layer: 6},
	// Which sessions there are is no matter of any of them: a session gets the values of its home, and tells
	// its registry what others have to know.
	{path: "internal/session/registry", layer: 6, under: "internal/session"},
	// The state of a session, without the goroutine that owns it: pure, so that replay,
	// rewind and sub-agents are tested without a session.
	{path: "internal/session/state", layer: 4},
	// Where the calls of models go and what is known of them needs no session: doctor asks it, too, and
	// windows, credentials and choices are tested as values.
	{path: "internal/session/provider", layer: 5},
	// Recorded results take the place of tool calls in a replay, and need no session.
	{path: "internal/session/taped", layer: 4},
	// Whether a call may be made is decided by numbers alone, so that a budget of a run and one of a tenant are
	// the same, and sub-agents share one without knowing what a run is.
	{path: "internal/session/ledger", layer: 3},
	// How functions get to a session's goroutine, and results back to callers that may have
	// stopped waiting: small, so that it is tested by itself, and shared by session and the
	// packages below it. The interface of all of them to their session is in state, above it.
	{path: "internal/session/mailbox", layer: 3},
	// The slash commands as data, and how they are carried out, which terminals and clients share.
	{path: "internal/session/slash", layer: 4},
	// What clients do with the files of a session needs its claim and nothing else of it. Package workspace has
	// the files, and stores that do not know a session.
	{path: "internal/session/files", layer: 5},
	// What is recorded, and under which claim, needs neither the run nor the clients: it is tested with a
	// store in memory. All other parts of a session know it as a Recorder.
	{path: "internal/session/journal", layer: 5},
	// What calls have cost is the same whoever made them, and the size of the next request is an estimate of
	// texts: both are tested without a model.
	{path: "internal/session/metrics", layer: 5},
	{path: "internal/session/toolsearch", layer: 5},
	// Decides whether tool calls may act, without the goroutine of the session: rules,
	// requests and decisions are tested without a session.
	{path: "internal/session/approval", layer: 5},
	// Taking back events and files needs the log and the workspace of a session, and asks its goroutine for a
	// position and little else: no run, no model.
	{path: "internal/session/rewind", layer: 5},
	// Clients change the settings of the user without a session, and hooks need one of them.
	{path: "internal/session/usersettings", layer: 4},
	// Commands of the user run without a model and without permissions, so nothing of a run or of
	// approval belongs to them.
	{path: "internal/session/usershell", layer: 5},
	// Calls of tools that clients bring outlive clients and runs, and concern neither: it needs the
	// session's goroutine, and a way to each client.
	{path: "internal/session/clienttools", layer: 5},
	// What is recorded of a summary is the same for a conversation of the main agent and of any other, and
	// needs neither the run nor the provider: the thread that has the conversation makes the call.
	{path: "internal/session/compact", layer: 5},
	// Which servers a session has, and what it records of them, without what the servers ask: that is
	// a matter of approval and of the model.
	{path: "internal/session/servers", layer: 5},
	// What waits for its run is in the log and needs no model: pauses, holds, edits and times are
	// tested without a run.
	{path: "internal/session/queue", layer: 5},
	// What clients draw concerns no other part of a session: it needs its goroutine, the clients
	// that bring canvases, and nothing else.
	{path: "internal/session/canvas", layer: 5},
	// Which agents there are, which may start and what is recorded of their ends needs the session's
	// goroutine, and somebody who makes a conversation: not the run, the provider or the tools of one.
	{path: "internal/session/agents", layer: 5},
	// Slash commands need the clients that own some, the queue, and what the program's own ones do, each as an
	// interface, and no run.
	{path: "internal/session/command", layer: 5},
	// Listing sessions needs the store and the catalogue, but no session.
	{path: "internal/session/listing", layer: 5},
	// What sources of tools have, and what is made of it, needs no session: which of it the model
	// is offered is the session's matter.
	{path: "internal/session/offer", layer: 4},
	// A part of session with a small surface: it is tested without a session, and a
	// session is read without it. It may not import session.
	{path: "internal/session/hook", layer: 4},
	// The same; server uses it too, for requests about folders without a session.
	{path: "internal/session/discovery", layer: 4},
	// A server of tools is a program or a web service with a life of its own, and all of the
	// protocol's SDK: tools do not need it, and a session without servers does not either.
	{path: "internal/mcp", layer: 4},
	// Signing in is tested against hostile servers without a session and without the SDK, and the
	// terminal needs it without either.
	{path: "internal/mcp/oauth", layer: 1, under: "internal/mcp"},
	{path: "internal/turn", layer: 4},
	{path: "internal/tool", layer: 3},
	// Packages of every layer know tools by their names, and what each asks is said in one place: data, below all
	// of them.
	{path: "internal/tool/fact", layer: 0},
	{path: "internal/prompt", layer: 3},
	// Observes events and nothing else, and no session needs it.
	{path: "internal/spans", layer: 2},
	// Which plugins there are is a matter of files and of the user, and of no session.
	{path: "internal/plugin", layer: 1},
	{path: "internal/model", layer: 2},
	// A package for each dialect, so that the next one is added without touching the
	// others.
	{path: "internal/model/chat", layer: 2, under: "internal/model"},
	{path: "internal/model/anthropic", layer: 2, under: "internal/model"},
	{path: "internal/model/bedrock", layer: 2, under: "internal/model"},
	{path: "internal/model/gemini", layer: 2, under: "internal/model"},
	{path: "internal/model/ollama", layer: 2, under: "internal/model"},
	{path: "internal/model/responses", layer: 2, under: "internal/model"},
	{path: "internal/model/extensions", layer: 2, under: "internal/model"},
	// What providers accept as the schema of a tool is pure, and fuzzed by itself. model applies it to
	// every tool, and chat once more for providers that understand less.
	{path: "internal/model/schema", layer: 1},
	// The catalogue of models calls none of them. The layers that show it, or count with it, need
	// no dialect.
	{path: "internal/model/known", layer: 1},
	// Recordings of calls are below the dialects and know none: they see requests over HTTP.
	{path: "internal/model/tape", layer: 2, under: "internal/model"},
	// Runs commands, without analysing them.
	{path: "internal/shell", layer: 2},
	// Confines commands. It does not know how a shell works, nor what a command means.
	{path: "internal/sandbox", layer: 1},
	// A part that is tested without a kernel: a program, and tables of system calls.
	{path: "internal/sandbox/filter", layer: 0, under: "internal/sandbox"},
	// A part that any backend may leave unused, and that is tested by itself on the kernel.
	{path: "internal/sandbox/landlock", layer: 0, under: "internal/sandbox"},
	// The same for another system, as text: a Mac is not needed to test it.
	{path: "internal/sandbox/seatbelt", layer: 0, under: "internal/sandbox"},
	// What commands have made and what the user takes back is neither a matter of how commands are confined nor
	// of one tool; it is tested without either.
	{path: "internal/quarantine", layer: 2},
	// Analyses commands, without running them. It is separate from permit, so that deciding
	// stays a pure function, and from shell, so that a change to how commands run cannot
	// change what is allowed.
	{path: "internal/shell/effects", layer: 2},
	{path: "internal/eventlog/files", layer: 2},
	// One package for the log and the other files of a session, because both are in the same
	// storage and are called in the same way.
	{path: "internal/clientfs", layer: 2},
	// Serves connections and starts nothing, so that it is tested without a sandbox, and a
	// sandbox without a network does not depend on it.
	{path: "internal/sandbox/proxy", layer: 2},
	// Public: the protocol of agents, also for authors of agents; they import nothing else.
	{path: "extension", layer: 1},
	{path: "internal/eventlog", layer: 1},
	{path: "internal/permit", layer: 1},
	// The definition of an agent, for all packages that read, choose or run one. It has
	// nothing to do with package extension, whose agents are external programs.
	{path: "internal/agent", layer: 1},
	// Files that were made for Claude Code and Copilot CLI are read by hooks and by the question about trust,
	// which may not know each other: what such a file says is pure, and one package's.
	{path: "internal/peerfile", layer: 2},
	{path: "internal/config", layer: 1},
	// Which settings there are and what counts is pure; settings files are read, checked for their
	// owner, and changed here.
	{path: "internal/settings", layer: 2},
	// Commands, rules and settings suggest the word that was meant, in layers that have no other
	// package in common.
	{path: "internal/spelling", layer: 0},
	// Hints of every layer name commands to copy into a shell.
	{path: "internal/shellword", layer: 0},
	// Reading settings is pure; finding keys reads files, runs commands and waits for the user.
	{path: "internal/keys", layer: 1},
	{path: "internal/catalog", layer: 1},
	{path: "internal/sessiondb", layer: 1},
	{path: "internal/client", layer: 1},
	// The files of a session other than its log, with a store of their own: another store of
	// logs will keep them elsewhere.
	{path: "internal/workspace", layer: 1},
	{path: "internal/timeline", layer: 1},
	// Below the user interfaces, so that the terminal and the web server follow a run in the
	// same way. It needs the log's tail and no session.
	{path: "internal/follow", layer: 2},
	// Files of a session for people: commands that open no session write them, too.
	{path: "internal/export", layer: 2},
	// Not a part of app: a line editor is tested with keys, without sessions.
	{path: "internal/terminal", layer: 2},
	// The line mode and the terminal interface have one history, which needs no terminal.
	{path: "internal/history", layer: 1},
	// When an entry is due is a pure function of times, tested without a session.
	{path: "internal/schedule", layer: 0},
	{path: "internal/wire", layer: 0},
	{path: "internal/jsonrpc", layer: 0},
	{path: "internal/sse", layer: 0},
	// Two packages read streams of chunks, of models and of agents, and neither may import
	// the other.
	{path: "internal/jsonscan", layer: 0},
	{path: "internal/origin", layer: 0},
	// Files that people write with comments are changed without losing any, which needs no
	// knowledge of what they configure.
	{path: "internal/jsonc", layer: 0},
	// web_fetch and agents share one rule about which addresses may be called.
	{path: "internal/dial", layer: 0},
	// Three packages of different layers need the same list of characters: what makes a command
	// unclear, what a rule may not contain, and what is shown to the user as an escape.
	{path: "internal/invisible", layer: 0},
	// Apart from model, because it knows nothing of models: a text, and whether its end repeats itself.
	{path: "internal/repetition", layer: 0},
	{path: "internal/lookalike", layer: 0},
	// The tools of the model and the completion of files visit folders in the same way, and neither
	// may import the other.
	{path: "internal/tree", layer: 0},
	{path: "internal/vfs", layer: 0},
	// The paths of a project are needed by the loaders, by the rules and by the pages: data, below all of them.
	{path: "internal/projectfiles", layer: 0},
	// Programs are killed with everything that they started from two packages: from shell,
	// and in a sandbox from the process that keeps it.
	{path: "internal/proctree", layer: 0},
	{path: "internal/obs", layer: 0},
	// Every package has values that are made when they are first needed, and none may run code
	// at start.
	{path: "internal/lazy", layer: 0, all: true},
	// A package without imports is the only code that can run before the packages of others are
	// initialised; and layers that know nothing of each other start goroutines.
	{path: "internal/stack", layer: 0, all: true},
	// What peers may make us hold is one rule for frames, answers, sessions and HTTP bodies.
	{path: "internal/quota", layer: 0, all: true},
	// It knows no home: the doors above it say what one is.
	{path: "internal/gate", layer: 0},
	// fault is the error type of every package, so all packages may import it. With separate
	// types, errors would have to be converted at every call.
	{path: "internal/fault", layer: 0, all: true},
	// What tests share. It stands apart from the packages that it tests, so that the place of a file says whether
	// users run it; only the tests, and what is here, may import it, and the demo one of them.
	// The same attempts are made against each part and against whole sandboxes.
	{path: "internal/testing/attempt", layer: 0, under: "internal/sandbox", helper: true},
	{path: "internal/testing/clientfstest", layer: 2, under: "internal/clientfs", helper: true},
	{path: "internal/testing/dialecttest", layer: 2, under: "internal/model", helper: true},
	// Three rooms test their servers on a listener in memory, and the lowest of them, which
	// is public, has no room of ours in common with the others but those of layer 0.
	{path: "internal/testing/dialtest", layer: 0, under: "internal/dial", helper: true},
	// For two test suites: one compares verdicts, the other runs each trick for real.
	{path: "internal/testing/effectstest", layer: 2, under: "internal/shell/effects", helper: true},
	{path: "internal/testing/entrytest", layer: 9, under: "internal/app/entry", helper: true},
	// It reads emulators and tmux, for the tests of screen and of e2e/front.
	{path: "internal/testing/glass", layer: 0, helper: true},
	// Tests of many packages compare a text with a file, or with a table of a page.
	{path: "internal/testing/golden", layer: 0, helper: true},
	{path: "internal/testing/logtest", layer: 1, under: "internal/eventlog", helper: true},
	// The demo runs with the scripted model of the tests, so that what users see first is what is tested most.
	{path: "internal/testing/modeltest", layer: 2, under: "internal/model", helper: true, product: "internal/app/demo"},
	// Apart from modeltest because it knows every vendor, and modeltest is part of the demo.
	{path: "internal/testing/modeltest/strict", layer: 2, under: "internal/testing/modeltest", helper: true},
	{path: "internal/testing/oauthtest", layer: 0, helper: true},
	// One session for the tests of all packages that know theirs as a Recorder.
	{path: "internal/testing/statetest", layer: 4, under: "internal/session/state", helper: true},
	{path: "internal/testing/workspacetest", layer: 1, under: "internal/workspace", helper: true},
	// Only tests: the binary through the official SDK, and recorded conversations through
	// the server.
	{path: "e2e", layer: 13},
	// Four packages of tests build the program and run it.
	{path: "e2e/built", layer: 0, helper: true},
	// Apart from e2e because its test binary is itself the program under test.
	{path: "e2e/torture", layer: 13},
	// The same: its test binary is the keeper of the sandboxes, and starts itself again as
	// another user.
	{path: "e2e/canary", layer: 13},
	// Apart from e2e because it needs no Sidestick binary, but programs of others.
	{path: "e2e/peers", layer: 13},
	// Apart from e2e because it has an emulator of a terminal, and writes files of docs.
	{path: "e2e/pictures", layer: 13},
	// Apart from e2e because it needs a browser, and a build tag.
	{path: "e2e/browser", layer: 13},
	// Apart from e2e because it needs a C compiler, and a build tag.
	{path: "e2e/inprocess", layer: 13},
	// Apart from e2e because it needs a model and its server, and a build tag.
	{path: "e2e/local", layer: 13},
	// Apart from e2e because it needs packages of four registries, and a build tag.
	{path: "e2e/programs", layer: 13},
	// Apart from e2e because it needs packages of npm and a build tag, and is itself a client.
	{path: "e2e/mcpconformance", layer: 13},
	// Apart from e2e because its test binary is itself the program under test, at terminals.
	{path: "e2e/front", layer: 13},
	// The root is documentation; layer 0, so that it can import no other package.
	{path: "", layer: 0},
}

// modules lists every third-party module and the package that may import it, tests apart.
// There is one package each: if the module is replaced, one package changes. modeltest,
// which no user runs, may use yaml too. A new module needs a line in
// docs/decisions/0003-dependencies.md first.
var modules = []thirdParty{
	{path: "github.com/github/copilot-sdk/go", in: "internal/wire"},
	{path: "github.com/google/uuid", in: "internal/wire"},
	{path: "github.com/google/jsonschema-go", in: "internal/tool"},
	// A terminal inside a sandbox is opened there.
	{path: "github.com/creack/pty", in: "internal/shell", also: []string{"internal/sandbox"}},
	{path: "github.com/modelcontextprotocol/go-sdk", in: "internal/mcp"},
	{path: "github.com/coder/websocket", in: "internal/model"},
	// prompt compares the files that instructions are for.
	{path: "github.com/bmatcuk/doublestar/v4", in: "internal/tool", also: []string{"internal/prompt"}},
	{path: "github.com/adhocore/gronx", in: "internal/schedule"},
	{path: "github.com/git-pkgs/gitignore", in: "internal/tree"},
	{path: "github.com/aymanbagabas/go-udiff", in: "internal/tool"},
	// tool parses HTML; the filter of system calls is a program of package bpf; permit compares
	// names of hosts in other scripts (idna), and lookalike shows them.
	{path: "golang.org/x/net", in: "internal/tool", also: []string{"internal/sandbox", "internal/permit", "internal/lookalike"}, parts: true},
	{path: "github.com/clipperhouse/displaywidth", in: "internal/tui/row"},
	{path: "github.com/spf13/cobra", in: "internal/app", parts: true},
	{path: "github.com/spf13/pflag", in: "internal/app", parts: true},
	{path: "go.yaml.in/yaml/v3", in: "internal/prompt", helper: "internal/testing/modeltest"},
	// vfs locks files; terminal turns off the echo of keys, for which x/term has no call;
	// sandbox and its parts make system calls of the kernel that confine processes.
	{path: "golang.org/x/sys", in: "internal/vfs", also: []string{"internal/terminal", "internal/sandbox"}, parts: true},
	{path: "golang.org/x/term", in: "internal/terminal"},
	// The keyrings of three systems.
	{path: "github.com/zalando/go-keyring", in: "internal/keys"},
	// projectfiles finds the files that commands of a repository name.
	{path: "mvdan.cc/sh/v3", in: "internal/shell/effects", also: []string{"internal/projectfiles"}},
	// Two packages use the database, because they trust it differently: catalog runs its own
	// statements on a file that may be lost, sessiondb runs statements of models on a file
	// of the user. They share only a DSN.
	{path: "modernc.org/sqlite", in: "internal/catalog", also: []string{"internal/sessiondb"}},
	{path: "github.com/google/go-cmp"},
	{path: "github.com/rogpeppe/go-internal"},
	{path: "go.uber.org/goleak"},
	{path: "github.com/godbus/dbus/v5"},
	{path: "github.com/charmbracelet/x/vt", helper: "internal/testing/glass"},
}

type room struct {
	path    string // below the module; "" is the root
	layer   int
	under   string // the room this is a part of, which it may import
	helper  bool   // it is for tests, and counts as one: only tests and other helpers may import it
	product string // the one package beside them that may import a helper; "" is none
	all     bool   // every other room may import it
}

type thirdParty struct {
	path   string   // of the module
	in     string   // the one room that may import it; "" is tests only
	helper string   // a room for tests that may import it too; "" is none
	also   []string // others, each with the reason
	parts  bool     // the packages below in and also may import it too
}

func TestArchitecture(t *testing.T) {
	watchSources(t)
	for _, broken := range check(listPackages(t)) {
		t.Error(broken)
	}
}

// A line without a package is an error: delete it.
func TestEveryRoomExists(t *testing.T) {
	watchSources(t)
	found := map[string]bool{}
	for _, p := range listPackages(t) {
		found[p.room()] = true
	}
	for _, r := range rooms {
		if !found[r.path] {
			t.Errorf("%s is in the table, but there is no such package", r.path)
		}
	}
}
