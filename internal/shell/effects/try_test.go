package effects_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// unread is a machine whose sandbox for reading also holds what nobody has read.
func unread(change func(*permit.Sandboxing)) permit.Sandboxing {
	return works(func(s *permit.Sandboxing) {
		s.Unread = true
		if change != nil {
			change(s)
		}
	})
}

func TestWhatIsTriedInTheSandboxForReading(t *testing.T) {
	for _, text := range []string{
		"cat $X", "python3 -c 'print(1)'", "for f in $(ls); do head $f; done", "cd src && pytest -q", "go test ./...", "npm test", "make", "./check.sh", "sh -c 'ls'",
		"find . -name '*.py' -exec grep -l x {} \\;", "ls | xargs wc -l", "python3 <<'EOF'\nprint(1)\nEOF", "awk 'BEGIN { system(\"ls\") }'", "X=1 ls", "f() { ls; }; f", "eval ls",
		"git log $X | head", "tsc --noEmit", "black --check .", "gofmt -l .", "sed -f x a", "env ls", "perl -ne 'print' a", "tar -tf $X", "(( i++ )); ls", "export A=1; make",
		"grep a \\\n b",
	} {
		if got := here().DecideIn(unread(nil), understood(text)); !got.Tries || got.Verdict != allow || got.Place != readOnly {
			t.Errorf("%q is not tried: %v %v %s; %s", text, got.Verdict, got.Place, got.Why, got.Because)
		}
	}
	for text, why := range map[string]string{
		"echo $X > a": "a redirection", "mkdir $X": "a program that writes", "sed -i s/a/b/ $X": "an option that writes", "cp $X b": "a program that writes", "find . $X -delete": "an action that writes",
		"black .": "", "npm install $X": "the network", "curl $X": "the network", "git push $X": "keys", "docker run $X": "services", "sudo $X": "services", "git commit -m \"$X\"": "git that writes",
		"git checkout $X": "git that writes", "cat /home/u/x $X": "a path outside", "cat /etc/hosts $X": "a path that asks", "cat ../x $X": "a path outside", "cat .vscode/x $X": "a protected name",
		"curl -s http://localhost:8080": "an address", "server $X & sleep 1": "the background", "ps aux": "processes elsewhere", "kill $X": "processes elsewhere", "export A=1": "nothing but the shell",
		"echo \u202e $X": "what nobody sees", "cargo test": "it writes to target", "cat /tmp/x $X": "/tmp outside the sandbox", "python3 -m pip install x": "the network",
	} {
		if got := here().DecideIn(unread(nil), understood(text)); got.Tries || got.Verdict != ask {
			t.Errorf("%q (%s): %v, tried %v: %s", text, why, got.Verdict, got.Tries, got.Why)
		}
	}
}

// Where a rule or a setting says otherwise, nothing is tried.
func TestWhatIsNeverTried(t *testing.T) {
	const text = "python3 -c 'print(1)'"
	denying := func(rule string) permit.Rules {
		r := here()
		parsed, err := permit.ParseRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		r.Deny = append(r.Deny, parsed)
		return r
	}
	asking := here()
	asking.Ask = []permit.Rule{{Kind: permit.Shell}}
	sdk := here()
	sdk.ReadOnly = false
	request := understood(text)
	hooked, again := request, request
	hooked.NoTry, again.Again = true, "the sandbox has refused something"
	for name, tc := range map[string]struct {
		rules permit.Rules
		s     permit.Sandboxing
		q     permit.Request
		want  permit.Verdict
	}{
		"an SDK program":             {sdk, unread(nil), request, ask},
		"a pattern to deny":          {denying("read(secrets/*.pem)"), unread(nil), request, ask},
		"a program to deny":          {denying("shell(rm)"), unread(nil), request, ask},
		"a denied program":           {denying("shell(python3)"), unread(nil), request, deny},
		"a policy that asks":         {asking, unread(nil), request, ask},
		"no sandbox":                 {here(), unread(none), request, ask},
		"the sandbox is off":         {here(), unread(off), request, ask},
		"a system that is not Linux": {here(), works(nil), request, ask},
		"a hook has decided":         {here(), unread(nil), hooked, ask},
		"a second run":               {here(), unread(nil), again, ask},
		"a second run, auto-allow":   {here(), unread(auto), again, ask},
		"a second run, with a rule":  {here("shell"), unread(nil), again, ask},
	} {
		if got := tc.rules.DecideIn(tc.s, tc.q); got.Tries || got.Verdict != tc.want {
			t.Errorf("%s: %v, tried %v: %s", name, got.Verdict, got.Tries, got.Why)
		}
	}
	// A rule and auto-allow let it run where it may write, as before; a second run that was allowed does, too.
	if got := here().DecideIn(unread(auto), request); got.Tries || got.Verdict != allow || got.Place != workspace {
		t.Errorf("with auto-allow: %+v", got)
	}
	if got := here().DecideIn(unread(nil), again); got.Place != workspace {
		t.Errorf("a second run: %+v", got)
	}
	if got := here().DecideIn(unread(noWrites), again); got.Place != outside || !got.AsksOutside {
		t.Errorf("a second run where nothing may write: %+v", got)
	}
	if got := here().DecideIn(unread(reading), request); !got.Tries || got.Place != readOnly {
		t.Errorf("with Landlock: %+v", got)
	}
}

// triedMayNag is how many of the common commands that only read or build are asked about before they run,
// with the default settings and a sandbox.
const triedMayNag = 63

func TestCommonCommandsAreTried(t *testing.T) {
	for class, most := range map[effectstest.Class]int{effectstest.Reads: 0, effectstest.Builds: triedMayNag} {
		asked := 0
		for _, command := range effectstest.Common(class) {
			if got := here().DecideIn(unread(nil), understood(command)); got.Verdict != allow {
				asked++
				t.Logf("asked about %q: %s %s", command, got.Why, got.Because)
			}
		}
		t.Logf("class %d: %d of %d", class, asked, len(effectstest.Common(class)))
		if asked > most {
			t.Errorf("class %d: %d are asked about, more than %d", class, asked, most)
		}
	}
	for _, command := range effectstest.Common(effectstest.Leaves) {
		inside := command == "env" || command == "printenv PATH" // the environment of the sandbox, which has no keys
		if got := here().DecideIn(unread(nil), understood(command)); got.Verdict == allow && !inside {
			t.Errorf("%q leaves the folder, and is not asked about: %s", command, got.Why)
		}
	}
}
