//go:build unix

package shell_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

func TestAScriptAnswers(t *testing.T) {
	t.Setenv("COPILOT_CONNECTION_TOKEN", "secret")
	t.Setenv("MINE_KEY", "secret")
	t.Setenv("PLAIN", "plain")
	dir := t.TempDir()
	got, err := shell.RunScript(t.Context(), shell.Script{
		Text: `cat; echo "$PWD $ADDED[$COPILOT_CONNECTION_TOKEN$MINE_KEY]"; echo oops >&2; exit 3`, Dir: dir, Input: []byte("in\n"),
		Env: map[string]string{"ADDED": "so $PLAIN${MINE_KEY}"}, Drop: []string{"MINE_*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := shell.Outcome{Output: []byte("in\n" + dir + " so plain[]\n"), Errors: "oops", Code: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAScriptNeedNotReadItsInput(t *testing.T) {
	got, err := shell.RunScript(t.Context(), shell.Script{Text: "exit 0", Dir: t.TempDir(), Input: bytes.Repeat([]byte("x"), 4<<20)})
	if err != nil || got.Code != 0 {
		t.Errorf("RunScript = %+v, %v", got, err)
	}
}

func TestWhatAScriptLeavesBehindIsKilled(t *testing.T) {
	opts := marked(t)
	name, value, _ := strings.Cut(opts.Env[1], "=")
	got, err := shell.RunScript(t.Context(), shell.Script{
		Text: "sleep 1000 & echo done", Dir: t.TempDir(), Env: map[string]string{name: value},
	})
	if err != nil || string(got.Output) != "done\n" {
		t.Errorf("RunScript = %+v, %v", got, err)
	}
	if left := living(t, opts); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func TestAScriptIsKilledWithItsChildren(t *testing.T) {
	opts := marked(t)
	name, value, _ := strings.Cut(opts.Env[1], "=")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	up := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(up, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer cancel()
		_, _ = os.ReadFile(up) // returns once the script runs
	}()
	_, err := shell.RunScript(ctx, shell.Script{
		Text: "sleep 1000 & echo up > fifo; wait", Dir: dir, Env: map[string]string{name: value},
	})
	if fault.KindOf(err) != fault.Canceled {
		t.Errorf("RunScript = %v, want Canceled", err)
	}
	if left := living(t, opts); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func TestAScriptThatSaysTooMuchOrCannotBeIsAnError(t *testing.T) {
	for _, tc := range []struct {
		text string
		want fault.Kind
	}{
		{"head -c 2000000 /dev/zero", fault.Invalid},
		{" ", fault.Invalid},
		{"a\x00b", fault.Invalid},
	} {
		if _, err := shell.RunScript(t.Context(), shell.Script{Text: tc.text, Dir: t.TempDir()}); fault.KindOf(err) != tc.want {
			t.Errorf("RunScript(%.10q) = %v, want %v", tc.text, err, tc.want)
		}
	}
	if _, err := shell.RunScript(t.Context(), shell.Script{Text: "true", Dir: "/nosuch"}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a folder that is not there: %v, want Unavailable", err)
	}
}
