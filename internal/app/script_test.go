package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// TestMain makes this binary the program itself when a script runs `sidestick`,
// so that a child can be killed, and its exit code is a real one.
func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	testscript.Main(tests{m}, map[string]func(){"sidestick": sidestick, "withtools": withTools, "mcpserver": mcpServer})
}

// tests are the tests of the package, and not the program.
type tests struct{ *testing.M }

// Run runs the tests. Where SIGHUP is ignored from the start, as by nohup, the programs that they start would
// ignore it, too. They do not if this process handles it.
func (m tests) Run() int {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // never read: a full channel blocks nobody
	}
	return m.M.Run()
}

// sidestick is main of cmd/sidestick.
func sidestick() {
	app.Protect(os.Getenv)
	ctx := app.Signals()
	os.Exit(app.Main(ctx, os.Args[1:], cli.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}

// withTools is `sidestick run` in a session that another program has joined.
func withTools() {
	ctx := app.Signals()
	os.Exit(runWithTools(ctx, os.Args[1:], cli.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}

// sandboxed reports whether commands can run in a sandbox on this machine.
var sandboxed = sync.OnceValues(func() (bool, error) {
	s := sandbox.NewHost(sandbox.Options{}).Support()
	if !s.Has(sandbox.WorkspaceWrite) && attempt.Required() {
		return false, errors.New("no sandbox works here: " + s.Why(sandbox.WorkspaceWrite))
	}
	return s.Has(sandbox.WorkspaceWrite), nil
})

// condition is a condition of a script: [sandbox] holds where commands can run in a sandbox.
func condition(name string) (bool, error) {
	if name == "sandbox" {
		return sandboxed()
	}
	return false, fmt.Errorf("there is no condition %q", name)
}

// TestScripts runs testdata/script/*.txt: what a person types and a program sends,
// over the real binary. The commands of our own, beside testscript's:
//
//	fakemodel FILE.jsonl [MODELS.jsonl]
//	                        a provider that says what the files say; see modeltest
//	lists MODELS.jsonl      the provider has that list of models from now on
//	mcpserver [stalls|crashes|garbage|choosy|newest|library]
//	                        (a program) an MCP server; see mcpServer
//	fakelogin               an MCP server that is a web service and wants a token; sets MCPURL
//	visit                   opens the page that the program in the background has printed
//	fakeagent               a Copilot Extensions agent that is the model; sets AGENT
//	scripted [agent]        the provider is sidestick demo model; or AGENT is demo agent
//	asked                   waits until it is asked once more
//	lastrequest             prints the messages of its last request
//	requests                prints the model, the tools and the last message of each request
//
//	start ARGS...           the program in the background, its stdin open
//	prints REGEXP           waits until its stdout has that
//	listening               waits until it prints its port, and nothing else; sets PORT
//	serve [FLAGS...]        both, with --server --port 0
//	request METHOD [PARAMS] writes a JSON-RPC request to its stdin
//	signal INT|TERM|HUP|QUIT
//	                        sends it a signal
//	hangup                  closes its stdin
//	crash                   kill -9
//	exits CODE [sidestick ARGS...]
//	                        runs a program, or waits for the one in the background, and
//	                        wants that exit code; its output is in stdout and stderr
//
//	agentthat DOES [FILE [SLUG]]
//	                        an agent of the Extensions protocol that says back what it is
//	                        told; sets AGENT. It verifies, by the key in the file, and wants
//	                        to be called by the slug; trusts
//	                        everybody; sends the file, headers and all; hangs after that;
//	                        or is not there any more: left
//	startagent PROGRAM ARGS...
//	                        one of its own, in the background; sets AGENT
//	fetchkeys               prints the keys that the program in the background publishes
//	! fetchkeys HOST        fails unless they are refused by this name
//
//	terminal PROGRAM ARGS...
//	                        a program on a terminal of 80 by 24, in the background:
//	                        sidestick, or withtools, which is `sidestick run` in a
//	                        session where another program provides tools
//	types KEYS              presses keys there, as \r or \x03
//	shows REGEXP            waits until that is on the screen, after what was seen before
//	quotes REGEXP COLUMNS   the same, and everything up to there that imitates a question has the
//	                        margin of text from elsewhere, in rows of so many columns at most
//	resizes COLUMNS ROWS    gives the terminal another size
//	chapter FILE HEADING    prints the first block under a heading
//	follow FILE HEADING     does what that block shows, and wants to see the same
//
//	opens [FLAGS...]        sidestick serve --extension; sets AGENT
//	post PATH FILE [HEADER...]
//	                        sends a file to it and prints the answer
//
//	connect [TOKEN]         a client of the server, in place of the one before
//	open ID                 creates a session in it, or resumes it
//	send ID TEXT            sends a prompt
//	await ID TYPE           waits for an event of a type
//	told ID                 prints the persisted events that the client was told
//
// Nothing sleeps: each wait is for something that happens, and for [patience].
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			w := &world{}
			e.Values[worldKey{}] = w
			e.Defer(w.end)
			e.Setenv("SIDESTICK_HOME", e.WorkDir+"/home")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config") // not that of the user who runs the tests
			e.Setenv("SIDESTICK_KEYRING", "off")             // that of the user who runs the tests
			e.Setenv("SIDESTICK_LOCAL_SERVERS", "off")       // what else runs on this machine does not count
			docs, err := filepath.Abs("../../docs")
			if err != nil {
				return err
			}
			e.Setenv("DOCS", docs)
			e.Setenv("CHECKOUT", filepath.Dir(docs))
			e.Setenv("GOCACHE", goCache())
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each child lingers for a second under -race
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"fakemodel": fakemodel, "lists": lists, "fakeagent": fakeAgent, "scripted": scripted, "asked": asked, "lastrequest": lastRequest, "requests": allRequests, "prefixkept": prefixKept,
			"start": start, "serve": serve, "listening": listening, "prints": prints, "request": request, "signal": sendSignal, "hangup": hangUp, "crash": crash, "exits": exits,
			"terminal": terminal, "types": types, "shows": shows, "quotes": quotes, "unshown": unshown, "resizes": resizes, "chapter": chapter, "follow": follow,
			"opens": opens, "post": post,
			"agentthat": agentThat, "startagent": startAgent, "fetchkeys": fetchKeys,
			"fakelogin": fakeLogin, "visit": visit,
			"connect": connect, "open": open, "send": send, "await": await, "told": told,
		},
	})
}

// patience is how long something that must happen is waited for: far longer than
// it takes, so that only a hang fails.
const patience = 20 * time.Second

// world is what one script has brought into being.
type world struct {
	provider *provider
	model    *process // in place of provider
	agent    *modeltest.Host
	process  *process
	program  *program
}

type worldKey struct{}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func (w *world) end() {
	if w.program != nil {
		w.program.close()
	}
	if w.process != nil {
		w.process.kill()
	}
	if w.model != nil {
		w.model.kill()
	}
	if w.provider != nil {
		w.provider.host.Close()
	}
	if w.agent != nil {
		w.agent.Close()
	}
}

// goCache is where scripts that build programs find what is built already.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// within is a context for one wait.
func within(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), limit)
}

// usage ends a script that is written wrongly.
func usage(ts *testscript.TestScript, wrong bool, text string) {
	if wrong {
		ts.Fatalf("usage: %s", text)
	}
}
