//go:build unix

package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// guarded is a terminal in which the commands of others are read, and rules that
// allow to look around and to run git.
func guarded(t *testing.T) (*terminal, permit.Rules) {
	t.Helper()
	x := newTerminal(t, func(text, dir string) permit.Command { return effects.Of(text, dir, "/root", effects.RealPaths) })
	return x, permit.Rules{
		Folders: permit.Folders{Primary: x.Cwd()}, ReadsInside: true, ReadOnly: true,
		Allow: []permit.Rule{{Kind: permit.Shell, Argument: "git:*"}, {Kind: permit.Shell, Argument: "touch"}},
	}
}

func bashArgs(t *testing.T, command string) string {
	t.Helper()
	args, err := json.Marshal(map[string]any{"command": command, "description": "d", "mode": "sync", "initial_wait": 60})
	if err != nil {
		t.Fatal(err)
	}
	return string(args)
}

// A command that a person allowed may leave behind functions and variables. A
// command that only reads is then still allowed, and runs the programs that it names; a
// command that a rule allows needs an approval.
func TestAlteredShellFoolsNobody(t *testing.T) {
	evil := "#!/bin/sh\necho PWNED\n"
	for _, alter := range []string{
		"ls() { echo PWNED; }", "export PATH=$PWD/evil:$PATH", "PATH=$PWD/evil", "source evil/env", "eval 'cd() { echo PWNED; }; ls() { echo PWNED; }'",
		"trap 'echo PWNED' DEBUG", "command() { echo PWNED; }; ls() { echo PWNED; }", "x=PATH=1; echo $((x))", "printf '%n' PATH", ": ${LD_PRELOAD:=x}; export A=1 LD_PRELOAD",
		"set -a; hash -p $PWD/evil/ls ls", "for PATH in $PWD/evil; do :; done", "$X; alias ls='echo PWNED'; shopt -s expand_aliases", "read PATH <<< $PWD/evil",
	} {
		x, rules := guarded(t)
		for _, dir := range []string{"evil", "1", "0", "sub"} {
			if err := os.MkdirAll(filepath.Join(x.Cwd(), dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range map[string]string{"evil/ls": evil, "1/ls": evil, "0/ls": evil, "evil/env": "ls() { echo PWNED; }\n", "sub/inside": ""} {
			if err := os.WriteFile(filepath.Join(x.Cwd(), name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		// One of them ends no more, which is not waited for.
		c := x.request(t, "bash", strings.Replace(bashArgs(t, alter), `"initial_wait":60`, `"initial_wait":1`, 1))
		if d := rules.Decide(*c.Permitted); d.Verdict != permit.Ask {
			t.Fatalf("%s: %v, %s", alter, d.Verdict, d.Why)
		}
		x.tools["bash"].Run(t.Context(), c)

		c = x.request(t, "bash", bashArgs(t, "cd sub && ls"))
		if d := rules.Decide(*c.Permitted); d.Verdict != permit.Allow {
			t.Errorf("%s: then ls is %v, %s", alter, d.Verdict, d.Why)
		}
		if r := x.tools["bash"].Run(t.Context(), c); r.Text != "inside\n<exited with exit code 0>" {
			t.Errorf("%s: then ls is %q", alter, r.Text)
		}
		for _, command := range []string{"git add -A", "touch x", "ls > out", "which ls"} {
			c = x.request(t, "bash", bashArgs(t, command))
			if d := rules.Decide(*c.Permitted); d.Verdict != permit.Ask || !strings.Contains(d.Why, "earlier command") {
				t.Errorf("%s: then %s is %v, %s", alter, command, d.Verdict, d.Why)
			}
		}
	}
}

// Everyday commands do not alter a shell, and an altered shell stays usable: it keeps its
// variables, and follows the directory of the commands that ran in separate shells.
func TestShellsAreAlteredByLittle(t *testing.T) {
	x, rules := guarded(t)
	if err := os.Mkdir(filepath.Join(x.Cwd(), "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"export CI=1", "CC=gcc true", "for f in *; do echo $f; done", "(PATH=/x)", "echo $(A=1)", "PATH=/x true | cat", "set -euo pipefail", "bash -c 'A=1'",
		"[[ -f go.mod && $x == y ]]", "while read -r line; do echo $line; done < /dev/null", "A=1 &", "echo \"$HOME\" ${X:-y} ${f%.go}", "n=$(ls | wc -l)", "printf '%s\\n' \"$x\"",
		"python3 -c 'import os'", "sudo true", "cd $X", "unset f",
	} {
		if c := x.request(t, "bash", bashArgs(t, command)); c.Permitted.Command.AltersShell != "" {
			t.Errorf("%s alters: %s", command, c.Permitted.Command.AltersShell)
		} else {
			x.tools["bash"].Run(t.Context(), c)
		}
	}
	allowed := func(command string) permit.Decision {
		return rules.Decide(*x.request(t, "bash", bashArgs(t, command)).Permitted)
	}
	if d := allowed("touch x"); d.Verdict != permit.Allow {
		t.Errorf("touch: %v, %s", d.Verdict, d.Why)
	}
	x.call(t, "bash", bashArgs(t, "cd "+x.Cwd()+"; A_B=1; f() { echo \"$A_B in $PWD\"; }"))
	x.call(t, "bash", bashArgs(t, "cd sub && pwd"))
	want := "1 in " + filepath.Join(x.Cwd(), "sub") + "\n<exited with exit code 0>"
	if r := x.call(t, "bash", bashArgs(t, "f")); r.Text != want {
		t.Errorf("after cd beside it the shell says %q, want %q", r.Text, want)
	}
}

// A shell that is altered between the question and the act does not act.
func TestAlteredMeanwhile(t *testing.T) {
	x, _ := guarded(t)
	ls, touch := x.request(t, "bash", bashArgs(t, "ls")), x.request(t, "bash", bashArgs(t, "touch x"))
	x.call(t, "bash", bashArgs(t, "touch() { echo PWNED; }; ls() { echo PWNED; }"))
	if r := x.tools["bash"].Run(t.Context(), touch); r.Outcome != tool.Failure || !strings.Contains(r.Text, "nothing was run") {
		t.Errorf("touch: %v %q", r.Outcome, r.Text)
	}
	if r := x.tools["bash"].Run(t.Context(), ls); strings.Contains(r.Text, "PWNED") {
		t.Errorf("ls: %q", r.Text)
	}
}
