//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// terminal is a workspace with shells, which hears partial output.
type terminal struct {
	place
	tools  map[string]tool.Asker
	shells *shell.Shells
	boxes  *sandbox.Boxes // of newRepository
	guard  *quarantine.Guard

	mu    sync.Mutex
	heard string
	wake  func() // called when something was heard
}

func (x *terminal) Partial(_ tool.Call, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.heard += text
	if x.wake != nil {
		x.wake()
	}
}

func newTerminal(t *testing.T, understand func(text, dir string) permit.Command) *terminal {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine: ", err)
	}
	x := &terminal{place: newPlace(t, nil), tools: map[string]tool.Asker{}}
	s := shell.New(shell.Options{Temp: filepath.Join(x.dir, "temp")})
	t.Cleanup(s.Close)
	x.shells = s
	for _, tl := range tool.Shell(x, s, nil, nil, understand) {
		x.tools[tl.Definition().Name] = tl.(tool.Asker)
	}
	return x
}

// request asks one of the tools what a call would do.
func (x *terminal) request(t *testing.T, name, args string) tool.Call {
	t.Helper()
	tl := x.tools[name]
	compact, err := tool.NewSchema(tl.Definition().Parameters).Arguments(args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	c := tool.Call{ID: "1", Name: name, Arguments: json.RawMessage(compact)}
	q, done := tl.Request(t.Context(), c)
	if done != nil {
		t.Fatalf("%s %s: %s", name, args, done.Text)
	}
	c.Permitted = q
	return c
}

// call runs one of the tools with permission.
func (x *terminal) call(t *testing.T, name, args string) tool.Result {
	t.Helper()
	return x.tools[name].Run(t.Context(), x.request(t, name, args))
}

func TestBashResults(t *testing.T) {
	x := newTerminal(t, nil)
	for _, tc := range []struct{ name, command, want string }{
		{"output and status", "echo hello && echo world", "hello\nworld\n<exited with exit code 0>"},
		{"errors in their place", "echo error_msg >&2; sleep 0.1; echo ok", "error_msg\nok\n<exited with exit code 0>"},
		{"no output", "true", "<exited with exit code 0>"},
		{"no newline", "printf x", "x\n<exited with exit code 0>"},
		{"a failure is a success", "echo no; false", "no\n<exited with exit code 1>"},
		{"state stays", "cd /; export A=1", "<exited with exit code 0>"},
		{"in the next call", "pwd; echo $A", "/\n1\n<exited with exit code 0>"},
	} {
		args, _ := json.Marshal(map[string]any{"command": tc.command, "description": "d", "mode": "sync", "initial_wait": 60})
		r := x.call(t, "bash", string(args))
		if r.Outcome != tool.Success || r.Text != tc.want {
			t.Errorf("%s: %s %q, want %q", tc.name, r.Outcome, r.Text, tc.want)
		}
	}
	if !strings.HasPrefix(x.heard, "hello\nworld\nerror_msg\nok\n") {
		t.Errorf("partial output was %q", x.heard)
	}
}

// The exit code of a command that has ended is a field of the result, whichever tool tells the end
// and however long the output is. A command that has not ended has none, nor has one that was stopped.
func TestTheExitCodeIsAField(t *testing.T) {
	x := newTerminal(t, nil)
	for _, tc := range []struct {
		name, tool, args string
		want             *tool.Exit
	}{
		{"done", "bash", `{"command":"true","description":"d","shellId":"a"}`, &tool.Exit{Shell: "a"}},
		{"failed", "bash", `{"command":"(exit 3)","description":"d","shellId":"a"}`, &tool.Exit{Code: 3, Shell: "a"}},
		{"a long output", "bash", `{"command":"seq 1 300000; (exit 3)","description":"d","shellId":"a"}`, &tool.Exit{Code: 3, Shell: "a"}},
		{"killed", "bash", `{"command":"sh -c 'kill -TERM $$'","description":"d","shellId":"a"}`, &tool.Exit{Code: 143, Shell: "a"}},
		{"the shell itself is killed", "bash", `{"command":"kill -KILL $$","description":"d","shellId":"b"}`, &tool.Exit{Code: 137, Shell: "b"}},
		{"the text of another", "bash", `{"command":"echo '<exited with exit code 7>'; sleep 100","description":"d","initial_wait":1,"shellId":"c"}`, nil},
		{"stopped", "stop_bash", `{"shellId":"c"}`, nil},
		{"typing", "bash", `{"command":"read a; exit 4","description":"d","mode":"async","shellId":"d"}`, nil},
		{"typed", "write_bash", `{"shellId":"d","input":"x{enter}","delay":60}`, &tool.Exit{Code: 4, Shell: "d"}},
		{"reading", "bash", `{"command":"until test -e go; do sleep 0.05; done; seq 1 300000; exit 5","description":"d","mode":"async","shellId":"e"}`, nil},
		{"another", "bash", `{"command":"touch go","description":"d"}`, &tool.Exit{Shell: "sh1"}},
		{"read", "read_bash", `{"shellId":"e","delay":60}`, &tool.Exit{Code: 5, Shell: "e"}},
	} {
		r := x.call(t, tc.tool, tc.args)
		if diff := cmp.Diff(tc.want, r.Exit); diff != "" || r.Outcome != tool.Success {
			t.Errorf("%s: %s: -want +got:\n%s", tc.name, r.Outcome, diff)
		}
		if r.Exit != nil && !strings.HasSuffix(r.Text, fmt.Sprintf("<exited with exit code %d>", r.Exit.Code)) {
			t.Errorf("%s: the model reads %q", tc.name, r.Text[max(0, len(r.Text)-100):])
		}
	}
}

// Times out of all bounds are brought into them.
func TestBashWaits(t *testing.T) {
	x := newTerminal(t, nil)
	for _, wait := range []string{"-5", "0", "1e300", "601"} {
		if r := x.call(t, "bash", `{"command":"echo a","description":"d","initial_wait":`+wait+`}`); r.Text != "a\n<exited with exit code 0>" {
			t.Errorf("initial_wait %s: %q", wait, r.Text)
		}
	}
}

// Every dialect takes these schemas, and sessions share them.
func TestShellDefinitions(t *testing.T) {
	x, y := newTerminal(t, nil), newTerminal(t, nil)
	for name, tl := range x.tools {
		d := tl.Definition()
		var schema struct {
			Type       string                    `json:"type"`
			Properties map[string]map[string]any `json:"properties"`
			Required   []string                  `json:"required"`
			Additional *bool                     `json:"additionalProperties"`
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if schema.Type != "object" || schema.Properties == nil || schema.Additional == nil || *schema.Additional || d.Description == "" || d.Origin != tool.Builtin {
			t.Errorf("%s: %+v", name, d)
		}
		for _, r := range schema.Required {
			if schema.Properties[r] == nil {
				t.Errorf("%s requires %s, which is no property", name, r)
			}
		}
		for p, s := range schema.Properties {
			for key := range s {
				if key != "type" && key != "description" && key != "enum" {
					t.Errorf("%s.%s has %s, which not every provider takes", name, p, key)
				}
			}
		}
		if other := y.tools[name].Definition(); &other.Parameters[0] != &d.Parameters[0] {
			t.Errorf("%s has a schema of its own in every session", name)
		}
	}
}

func TestBashAsksForWhatItWouldDo(t *testing.T) {
	var heard []string
	x := newTerminal(t, func(text, dir string) permit.Command {
		heard = append(heard, text+" in "+dir)
		return permit.Command{Programs: []permit.Program{{Name: text}}}
	})
	x.call(t, "bash", `{"command":"cd /","description":"go"}`)
	c := x.request(t, "bash", `{"command":"ls","description":"look around"}`)
	want := &permit.Request{
		Kind: permit.Shell, Tool: "bash", Intention: "look around",
		Command: permit.Command{Text: "ls", Dir: "/", Programs: []permit.Program{{Name: "ls"}}},
	}
	if diff := cmp.Diff(want, c.Permitted); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := heard[len(heard)-1]; got != "ls in /" {
		t.Errorf("understood %q", got)
	}
	if c := x.request(t, "write_bash", `{"shellId":"a","input":"rm x{enter}"}`); c.Permitted.Kind != permit.Shell ||
		c.Permitted.Command.Text != "rm x{enter}" || c.Permitted.Command.Unclear == "" {
		t.Errorf("to type asks for %+v", c.Permitted)
	}
	for _, name := range []string{"read_bash", "stop_bash"} {
		if c := x.request(t, name, `{"shellId":"a"}`); c.Permitted != nil {
			t.Errorf("%s asks for %+v", name, c.Permitted)
		}
	}
	if c := x.request(t, "list_bash", ``); c.Permitted != nil {
		t.Errorf("list_bash asks for %+v", c.Permitted)
	}
}

// A command that was allowed somewhere does not run somewhere else.
func TestBashRunsWhereItWasAllowed(t *testing.T) {
	x := newTerminal(t, nil)
	c := x.request(t, "bash", `{"command":"pwd","description":"d"}`)
	x.call(t, "bash", `{"command":"cd /","description":"d"}`)
	if r := x.tools["bash"].Run(t.Context(), c); r.Text != x.cwd+"\n<exited with exit code 0>" {
		t.Errorf("%q, want %s", r.Text, x.cwd)
	}
	if r := x.call(t, "bash", `{"command":"pwd","description":"d"}`); r.Text != "/\n<exited with exit code 0>" {
		t.Errorf("the shell itself is in %q", r.Text)
	}
}

func TestBashRunsOnlyWhatWasAllowed(t *testing.T) {
	meaning := "one"
	x := newTerminal(t, func(string, string) permit.Command { return permit.Command{URLs: []string{meaning}} })
	c := x.request(t, "bash", `{"command":"echo ran","description":"d"}`)
	meaning = "two"
	other := x.request(t, "bash", `{"command":"echo other","description":"d"}`)
	other.Permitted = c.Permitted
	unasked := c
	unasked.Permitted = nil
	for name, c := range map[string]tool.Call{"it means something else": c, "another command": other, "nothing was allowed": unasked} {
		if r := x.tools["bash"].Run(t.Context(), c); r.Outcome != tool.Failure || strings.Contains(r.Text, "ran") {
			t.Errorf("%s: %s %q", name, r.Outcome, r.Text)
		}
	}
	typed := x.request(t, "write_bash", `{"shellId":"a","input":"x"}`)
	typed.Permitted = nil
	if r := x.tools["write_bash"].Run(t.Context(), typed); r.Outcome != tool.Failure || !strings.Contains(r.Text, "no permission") {
		t.Errorf("typed without permission: %s %q", r.Outcome, r.Text)
	}
}

func TestBashInterrupted(t *testing.T) {
	x := newTerminal(t, nil)
	c := x.request(t, "bash", `{"command":"echo on; sleep 100","description":"d","initial_wait":105}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x.tools["bash"].Run(t.Context(), x.request(t, "bash", `{"command":"export A=1","description":"d"}`))
	x.wake = cancel // it runs: stop it
	if r := x.tools["bash"].Run(ctx, c); r.Outcome != tool.Interrupted || r.Text != tool.TextInterrupted {
		t.Errorf("%s %q", r.Outcome, r.Text)
	}
	if r := x.call(t, "bash", `{"command":"echo $A; pwd","description":"d"}`); r.Text != "1\n"+x.cwd+"\n<exited with exit code 0>" {
		t.Errorf("afterwards %q", r.Text)
	}
}

// A dialogue with a program, call by call.
func TestShellFamily(t *testing.T) {
	x := newTerminal(t, nil)
	for _, tc := range []struct{ tool, args, want string }{
		{"list_bash", `{}`, `^There are no shells\.$`},
		{"bash", `{"command":"read -p 'Name? ' n; echo \"Hello, $n.\"; exec cat","description":"d","mode":"async","shellId":"talk"}`, `^Name\? \n<running, shellId: talk; .*>$`},
		{"read_bash", `{"shellId":"talk","delay":0}`, `^<no new output, still running, shellId: talk>$`},
		{"list_bash", `{}`, `^talk \(async\): running for \d+s: read -p 'Name\? ' n; echo "Hello, \$n\."; exec cat$`},
		{"bash", `{"command":"true","description":"d","shellId":"talk"}`, `already|still running`},
		{"write_bash", `{"shellId":"talk","input":"Ann{enter}","delay":0}`, `^Ann\nHello, Ann\.\n<still running, shellId: talk>$`},
		{"write_bash", `{"shellId":"talk","input":"{ctrl-d}","delay":60}`, `^(\^D)?\n?<exited with exit code 0>$`},
		{"read_bash", `{"shellId":"talk"}`, `there is no such shell`},
		{"bash", `{"command":"echo begun; sleep 100","description":"d","initial_wait":1}`, `^begun\n<still running after 1 seconds, shellId: sh1; .*>$`},
		{"write_bash", `{"shellId":"sh1","input":"x"}`, `has no terminal`},
		{"bash", `{"command":"echo free","description":"d"}`, `^free\n<exited with exit code 0>$`},
		{"stop_bash", `{"shellId":"sh1"}`, `^<stopped, shellId: sh1>$`},
		{"stop_bash", `{"shellId":"sh1"}`, `there is no such shell`},
		{"bash", `{"command":"echo out; sleep 100","description":"d","mode":"async","detach":true,"shellId":"own"}`, `^out\n<running on its own, shellId: own, process group: \d+, output: .*/detached-own-\d+\.log; stop_bash ends it>$`},
		{"list_bash", `{}`, `sh2 \(sync\): ended with exit code 0: echo free\nown \(detached\): running for \d+s, process group \d+, output in .*\.log: echo out; sleep 100$`},
		{"stop_bash", `{"shellId":"own"}`, `^<stopped, shellId: own>$`},
		{"bash", `{"command":" ","description":"d"}`, `^the command is empty$`},
		{"bash", `{"command":"true","description":"d","shellId":"../x"}`, `the name of a shell has`},
	} {
		if r := x.call(t, tc.tool, tc.args); !regexp.MustCompile(tc.want).MatchString(r.Text) {
			t.Errorf("%s %s: %q, want %s", tc.tool, tc.args, r.Text, tc.want)
		}
	}
}
