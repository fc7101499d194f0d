package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// scripts stands for the programs of hooks: each text has an outcome.
type scripts struct {
	outcomes map[string]func(ctx context.Context, s shell.Script) (shell.Outcome, error)

	mu  sync.Mutex
	ran []shell.Script
}

func (p *scripts) run(ctx context.Context, s shell.Script) (shell.Outcome, error) {
	p.mu.Lock()
	p.ran = append(p.ran, s)
	p.mu.Unlock()
	if f := p.outcomes[s.Text]; f != nil {
		return f(ctx, s)
	}
	return shell.Outcome{}, nil
}

// texts are the commands that ran.
func (p *scripts) texts() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.ran {
		out = append(out, s.Text)
	}
	return out
}

func prints(output string) func(context.Context, shell.Script) (shell.Outcome, error) {
	return func(context.Context, shell.Script) (shell.Outcome, error) {
		return shell.Outcome{Output: []byte(output)}, nil
	}
}

// commands is a file with a hook for each pair of a type and a command.
func commands(pairs ...string) string {
	file := map[string][]map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		file[pairs[i]] = append(file[pairs[i]], map[string]any{"type": "command", "bash": pairs[i+1]})
	}
	b, _ := json.Marshal(map[string]any{"version": 1, "hooks": file})
	return string(b)
}

// withFiles is a desk at a folder with files of hooks.
func withFiles(t *testing.T, p *scripts, files map[string]string, f func(d *desk), replies ...modeltest.Reply) {
	bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
		d.stop()
		d.start(registry.Options{RunScript: p.run, Resolve: filepath.Clean, Secrets: []string{"KEY"}})
		for name, text := range files {
			d.file("/work/.github/hooks/"+name, text)
		}
		f(d)
	}, replies...)
}

func fileHooks(names ...string) wire.Config {
	cfg := tools(names...)
	cfg.EnableFileHooks = yes()
	return cfg
}

func TestHooksFromFilesComeFirstInTheOrderOfTheirNames(t *testing.T) {
	p := &scripts{}
	client, calls := hooking(nil)
	withFiles(t, p, map[string]string{
		"b.json":   commands("preToolUse", "b", "sessionEnd", "end"),
		"a.json":   commands("preToolUse", "a1", "preToolUse", "a2", "sessionStart", "start", "userPromptSubmitted", "prompt"),
		"notes.md": "no hook",
	}, func(d *desk) {
		cfg := fileHooks("lookup")
		cfg.Hooks = yes()
		s := d.createWith(cfg, client)
		s.send("find it")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		if err := s.s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"start", "prompt", "a1", "a2", "b", "end"}, p.texts()); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
		if n := len(*calls); n != 7 {
			t.Errorf("the client was called %d times, want 7: %v", n, *calls)
		}
		script := p.ran[2]
		if script.Dir != "/work" || len(script.Drop) != 1 {
			t.Errorf("a1 ran as %+v", script)
		}
		var input map[string]any
		if err := json.Unmarshal(script.Input, &input); err != nil {
			t.Fatal(err)
		}
		delete(input, "timestamp")
		want := map[string]any{"sessionId": "s1", "cwd": "/work", "toolName": "lookup", "toolArgs": map[string]any{"q": "it"}}
		if diff := cmp.Diff(want, input); diff != "" {
			t.Errorf("input (-want +got):\n%s", diff)
		}
		checkChain(t, s.told)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

func TestFilesOfAFolderThatIsNotTrustedAreNotRun(t *testing.T) {
	no := false
	for _, tc := range []struct {
		name    string
		enabled *bool
		trusted bool
		want    int
		warned  int
	}{
		{"nothing is configured, which leaves both files out", nil, false, 0, 2},
		{"the folder is trusted, and a file is broken", nil, true, 1, 1},
		{"the client wants them, and a file is broken", yes(), false, 1, 1},
		{"the client does not, in a trusted folder", &no, true, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &scripts{}
			withFiles(t, p, map[string]string{"a.json": commands("userPromptSubmitted", "a"), "b.json": "{broken"}, func(d *desk) {
				if tc.trusted {
					if err := d.reg.Trust().Add("/work"); err != nil {
						t.Fatal(err)
					}
				}
				cfg := tools()
				cfg.EnableFileHooks = tc.enabled
				s := d.create(cfg)
				for range 2 {
					s.send("go")
					s.until("session.idle")
				}
				if n := len(p.texts()); n != 2*tc.want {
					t.Errorf("%d hooks ran, want %d", n, 2*tc.want)
				}
				if n := count(s.told, "session.warning"); n != tc.warned { // once, not with each run
					t.Errorf("%d warnings about the files, want %d", n, tc.warned)
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

func TestACommandDecidesAboutACall(t *testing.T) {
	fails := func(code int, err error) func(context.Context, shell.Script) (shell.Outcome, error) {
		return func(context.Context, shell.Script) (shell.Outcome, error) {
			return shell.Outcome{Code: code, Errors: "broken pipe", Output: []byte(`{"permissionDecision":"deny"}`)}, err
		}
	}
	hangs := func(ctx context.Context, _ shell.Script) (shell.Outcome, error) {
		<-ctx.Done()
		return shell.Outcome{}, ctx.Err()
	}
	for _, tc := range []struct {
		name    string
		outcome func(context.Context, shell.Script) (shell.Outcome, error)
		want    string // what the model reads
		failed  string // the error in hook.end; "" if it succeeded
	}{
		{"denies", prints(`{"permissionDecision":"deny","permissionDecisionReason":"no"}`), "Denied by preToolUse hook: no", ""},
		{"after other output", prints("lint ok\n{\"permissionDecision\":\"deny\"}\n"), "Denied by preToolUse hook: No reason provided", ""},
		{"on several lines", prints("{\n\"permissionDecision\":\n\"deny\"}"), "Denied by preToolUse hook: No reason provided", ""},
		{"prints nothing", prints(" \n"), "42", ""},
		{"prints something else", prints("all is well"), "42", ""},
		{"is cut off", prints("{\n\"permissionDecision\":"), "Denied by preToolUse hook: ", "not JSON"},
		{"ends with a status", fails(1, nil), "Denied by preToolUse hook: hook .github/hooks/a.json: exit status 1: broken pipe", "exit status 1: broken pipe"},
		{"ends with the status that denies", fails(2, nil), "Denied by preToolUse hook: broken pipe", ""},
		{"cannot start", fails(0, errors.New("no bash")), "Denied by preToolUse hook: hook .github/hooks/a.json: no bash", "no bash"},
		{"hangs", hangs, "42", "not done in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &scripts{outcomes: map[string]func(context.Context, shell.Script) (shell.Outcome, error){"guard": tc.outcome}}
			withFiles(t, p, map[string]string{"a.json": commands("preToolUse", "guard")}, func(d *desk) {
				begin := time.Now()
				s := d.create(fileHooks("lookup"))
				s.send("find it")
				if tc.want == "42" {
					s.answer(`"result":"42"`)
				}
				s.until("session.idle")
				if text := d.conversation(); !strings.Contains(text, "tool: "+tc.want) {
					t.Errorf("the model reads:\n%s", text)
				}
				end := last(t, s.told, "hook.end")
				if got := field(end, "error", "message"); (field(end, "success") == "true") != (tc.failed == "") || !strings.Contains(got, tc.failed) {
					t.Errorf("hook.end is %s", end.Data)
				}
				if took := time.Since(begin); took > 31*time.Second {
					t.Errorf("it took %v, want 30s at most", took)
				}
			},
				modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
				modeltest.Reply{Text: "done"},
			)
		})
	}
}

func TestWhatAFileSaysOfItsHooks(t *testing.T) {
	p := &scripts{}
	withFiles(t, p, map[string]string{
		"a.json": `{"version":1,"hooks":{"preToolUse":[
			{"type":"command","bash":"one","matcher":"look.*","cwd":"sub","env":{"A":"b"},"timeoutSec":5},
			{"type":"command","bash":"two","matcher":"look"},
			{"type":"command","powershell":"three"},
			{"type":"http","url":"http://x"},
			{"type":"command"},
			{"type":"command","bash":"x","matcher":"("},
			{"type":"command","bash":"x","timeoutSec":-1},
			{"type":"command","bash":"x","env":{"A=B":"c"}}]}}`,
		"b.json": `{"version":2,"hooks":{"preToolUse":[{"type":"command","bash":"x"}]}}`,
		"c.json": `{"version":1,"hooks":[]}`,
		"d.json": commands("preToolUse", strings.Repeat("x", 2<<20)),
	}, func(d *desk) {
		s := d.create(fileHooks("lookup"))
		s.send("find it")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		if diff := cmp.Diff([]string{"one"}, p.texts()); diff != "" {
			t.Fatalf("commands (-want +got):\n%s", diff)
		}
		if got := p.ran[0]; got.Dir != "/work/sub" || got.Env["A"] != "b" {
			t.Errorf("one ran as %+v", got)
		}
		var warnings []string
		for _, e := range s.told {
			if e.Type == "session.warning" {
				warnings = append(warnings, field(e, "message"))
			}
		}
		for i, want := range []string{"hook 4: type is \"http\"", "hook 5: it has none of", "hook 6: it does not run: matcher", "hook 7: timeoutSec", "hook 8: \"A=B\"", "version is 2", "c.json: its hooks cannot be read", "at most 1 MiB"} {
			if i >= len(warnings) || !strings.Contains(warnings[i], want) {
				t.Errorf("warning %d is not about %s: %q", i, want, warnings)
			}
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

func TestACommandGuidesAfterAFailure(t *testing.T) {
	p := &scripts{outcomes: map[string]func(context.Context, shell.Script) (shell.Outcome, error){
		"guide": func(context.Context, shell.Script) (shell.Outcome, error) {
			return shell.Outcome{Code: 2, Errors: "try again"}, nil
		},
	}}
	withFiles(t, p, map[string]string{"a.json": commands("postToolUseFailure", "guide")}, func(d *desk) {
		s := d.create(fileHooks("lookup"))
		s.send("find it")
		s.answer(`"error":"boom"`)
		s.until("session.idle")
		if text := d.conversation(); !strings.Contains(text, "postToolUseFailure hooks:\ntry again") {
			t.Errorf("the model reads:\n%s", text)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

func TestAFileThatALinkPutsThereIsNotRun(t *testing.T) {
	p := &scripts{}
	withFiles(t, p, map[string]string{"a.json": commands("userPromptSubmitted", "a"), "b.json": commands("userPromptSubmitted", "b")}, func(d *desk) {
		d.stop()
		d.start(registry.Options{RunScript: p.run, Resolve: func(path string) string {
			if filepath.Base(path) == "b.json" {
				return "/elsewhere/b.json"
			}
			return filepath.Clean(path)
		}})
		s := d.create(fileHooks())
		s.send("go")
		s.until("session.idle")
		if diff := cmp.Diff([]string{"a"}, p.texts()); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
	}, modeltest.Reply{Text: "ok"})
}

func TestACommandReadsAnErrorAsAnObject(t *testing.T) {
	p := &scripts{}
	withFiles(t, p, map[string]string{"a.json": commands("errorOccurred", "a")}, func(d *desk) {
		s := d.create(fileHooks())
		s.send("go")
		s.until("session.idle")
		if len(p.ran) != 1 {
			t.Fatalf("%d hooks ran, want 1", len(p.ran))
		}
		var input struct {
			Error struct{ Message, Name string }
		}
		if err := json.Unmarshal(p.ran[0].Input, &input); err != nil || input.Error.Message == "" || input.Error.Name == "" {
			t.Errorf("input %s, %v", p.ran[0].Input, err)
		}
	}, modeltest.Failure(400, "odd", "odd"))
}
