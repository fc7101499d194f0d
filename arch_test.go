package sidestick_test

import "testing"

// module is the path in go.mod, with the slash before a package.
const module = "github.com/sidestick-dev/sidestick/"

// rooms is every package and its layer: the architecture. Data flows one way,
// jsonrpc → server → session → turn → (model, tool) → session → eventlog → Tail,
// and imports point down.
//
// A new package needs a line here, and a reason why an existing one could not be
// made deeper.
var rooms = []room{
	{path: "cmd/sidestick", layer: 11},
	{path: "internal/app", layer: 10},
	// A package per command, so that the file of a flag or a prompt is found by the name
	// of its command. What they share is below them: wiring makes the runtime, ask and
	// show are the terminal's two directions, cli knows none of it.
	{path: "internal/app/agentcmd", layer: 9},
	{path: "internal/app/chat", layer: 9},
	{path: "internal/app/demo", layer: 9},
	{path: "internal/app/serve", layer: 9},
	{path: "internal/app/sessions", layer: 9},
	{path: "internal/app/ask", layer: 8},
	{path: "internal/app/show", layer: 8},
	{path: "internal/app/wiring", layer: 8},
	{path: "internal/app/cli", layer: 6},
	{path: "internal/server", layer: 7},
	// Beside server, not in it: it speaks HTTP to people's chats, and JSON-RPC's rules
	// for programs are none of its. Both only translate.
	{path: "internal/web", layer: 7},
	{path: "internal/session", layer: 6},
	// What a session has become, apart from the goroutine that owns it: pure, so that
	// replay, rewind and sub-agents are tested without a session.
	{path: "internal/session/state", layer: 4},
	// How functions get to a session's goroutine, and results back to callers that may have
	// stopped waiting: small, so that it is tested by itself, and shared by session and
	// approval.
	{path: "internal/session/mailbox", layer: 4},
	// What tools may do, apart from the goroutine of the session: rules, requests and
	// their answers are tested without a session.
	{path: "internal/session/approval", layer: 5},
	// Which sessions there are needs the store and the catalogue, and no session.
	{path: "internal/session/listing", layer: 5},
	// A part of session with a small surface: it is tested without a session, and a
	// session is read without it. It may not import session.
	{path: "internal/session/hook", layer: 4},
	// The same; server uses it too, for what clients ask about folders without a session.
	{path: "internal/session/discovery", layer: 4},
	{path: "internal/turn", layer: 4},
	{path: "internal/tool", layer: 3},
	{path: "internal/prompt", layer: 3},
	{path: "internal/model", layer: 2},
	// A package for each dialect, so that the next one is added without touching the
	// others.
	{path: "internal/model/chat", layer: 2, under: "internal/model"},
	{path: "internal/model/extensions", layer: 2, under: "internal/model"},
	{path: "internal/model/modeltest", layer: 2, under: "internal/model", helper: true},
	// Runs commands. It never reads what a command means.
	{path: "internal/shell", layer: 2},
	// Reads what a command would do, and never runs one. It is apart from permit, so that
	// deciding stays a pure function, and apart from shell, so that a change to how
	// commands run cannot change what is allowed.
	{path: "internal/shell/effects", layer: 2},
	{path: "internal/eventlog/files", layer: 2},
	// Public: the protocol of agents, for their authors too, who import nothing else.
	{path: "extension", layer: 1},
	{path: "internal/eventlog", layer: 1},
	{path: "internal/eventlog/logtest", layer: 1, under: "internal/eventlog", helper: true},
	{path: "internal/permit", layer: 1},
	// What an agent is, for all who read, choose or run one. It has nothing to do with
	// package extension, whose agents are programs of others.
	{path: "internal/agent", layer: 1},
	{path: "internal/config", layer: 1},
	{path: "internal/catalog", layer: 1},
	{path: "internal/sessiondb", layer: 1},
	{path: "internal/client", layer: 1},
	// What a session has beside its log, behind a store of its own: a second store of
	// logs will keep it elsewhere.
	{path: "internal/workspace", layer: 1},
	{path: "internal/workspace/workspacetest", layer: 1, under: "internal/workspace", helper: true},
	{path: "internal/timeline", layer: 1},
	// Below the doors, so that all follow a run in the same way: the terminal and the web
	// today. It needs the log's tail and no session.
	{path: "internal/follow", layer: 2},
	// Not a part of app: an editor of lines is tested by keys, without sessions.
	{path: "internal/terminal", layer: 2},
	{path: "internal/wire", layer: 0},
	{path: "internal/jsonrpc", layer: 0},
	{path: "internal/sse", layer: 0},
	// Two rooms read streams of chunks, the models' and the agents', and neither may
	// import the other.
	{path: "internal/jsonscan", layer: 0},
	// What may be called is one decision, for the tool that fetches and for agents.
	{path: "internal/dial", layer: 0},
	// Three rooms test their servers on a listener in memory, and the lowest of them, which
	// is public, has no room of ours in common with the others but those of layer 0.
	{path: "internal/dial/dialtest", layer: 0, under: "internal/dial", helper: true},
	{path: "internal/vfs", layer: 0},
	{path: "internal/obs", layer: 0},
	// fault 0 may be imported by everybody, its siblings too: it is how a border
	// says what went wrong. With an error type each, jsonrpc, wire and sse would
	// be translated at every call, and kinds would be lost on the way.
	{path: "internal/fault", layer: 0, all: true},
	// Tests from outside, no code: the binary through the official SDK, and
	// recorded conversations through the server.
	{path: "e2e", layer: 11},
	// Apart from e2e because its test binary is itself the program under test.
	{path: "e2e/torture", layer: 11},
	// Apart from e2e because it needs no binary of ours, but programs of others.
	{path: "e2e/peers", layer: 11},
	// The root is documentation; layer 0, so that it can import nothing of ours.
	{path: "", layer: 0},
}

// modules is every module that is not ours and who may import it, tests apart.
// One package each: if the module leaves, one package changes. modeltest, which no
// user runs, may have yaml too. A new one needs a line in
// docs/decisions/0003-dependencies.md first.
var modules = []thirdParty{
	{path: "github.com/github/copilot-sdk/go", in: "internal/wire"},
	{path: "github.com/google/uuid", in: "internal/wire"},
	{path: "github.com/google/jsonschema-go", in: "internal/tool"},
	{path: "github.com/creack/pty", in: "internal/shell"},
	{path: "github.com/bmatcuk/doublestar/v4", in: "internal/tool"},
	{path: "github.com/git-pkgs/gitignore", in: "internal/tool"},
	{path: "github.com/aymanbagabas/go-udiff", in: "internal/tool"},
	{path: "golang.org/x/net", in: "internal/tool"},
	{path: "github.com/spf13/cobra", in: "internal/app", parts: true},
	{path: "github.com/spf13/pflag", in: "internal/app", parts: true},
	{path: "go.yaml.in/yaml/v3", in: "internal/prompt", helper: "internal/model/modeltest"},
	// vfs locks files; terminal turns off the echo of keys, for which x/term has no call.
	{path: "golang.org/x/sys", in: "internal/vfs", also: "internal/terminal"},
	{path: "golang.org/x/term", in: "internal/terminal"},
	{path: "mvdan.cc/sh/v3", in: "internal/shell/effects"},
	// Two rooms have the database, because they trust it with opposite things: what
	// catalog runs is ours and its file may be lost, what sessiondb runs is written by
	// models and its file is the user's. What they share is a DSN.
	{path: "modernc.org/sqlite", in: "internal/catalog", also: "internal/sessiondb"},
	{path: "github.com/google/go-cmp"},
	{path: "github.com/rogpeppe/go-internal"},
	{path: "go.uber.org/goleak"},
}

type room struct {
	path   string // below the module; "" is the root
	layer  int
	under  string // the room this is a part of, which it may import
	helper bool   // it is for tests, and counts as one
	all    bool   // every other room may import it
}

type thirdParty struct {
	path   string // of the module
	in     string // the one room that may import it; "" is tests only
	helper string // a room for tests that may import it too; "" is none
	also   string // a second one, with the reason; "" is none
	parts  bool   // the packages below in may import it too
}

func TestArchitecture(t *testing.T) {
	watchSources(t)
	for _, broken := range check(listPackages(t)) {
		t.Error(broken)
	}
}

// A line without its package is a plan, and plans are not kept here.
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
