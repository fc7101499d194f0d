//go:build unix

package keys_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/obs"
)

// printing returns a store whose provider "openai" has a command.
func printing(t *testing.T, command ...string) (*keys.Store, *obs.Redactor) {
	t.Helper()
	secrets := &obs.Redactor{}
	s := keys.Open(keys.Options{
		Path: filepath.Join(t.TempDir(), keys.File), Secrets: secrets, Ring: newRing(),
		Environ: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "MARK=given"} },
	})
	t.Cleanup(s.Close)
	if err := s.Set(t.Context(), "openai", keys.Entry{Command: command}, ""); err != nil {
		t.Fatal(err)
	}
	return s, secrets
}

func TestACommandPrintsTheKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "not-for-commands")
	runs := filepath.Join(t.TempDir(), "runs")
	s, secrets := printing(t, "sh", "-c", `echo x >>"$1"; printf 'key-%s-%s-0123456789\n' "$MARK$OPENAI_API_KEY" "$(wc -l <"$1" | tr -d ' ')"`, "sh", runs)
	for range 3 {
		if key, err := s.Key(t.Context(), "openai", ""); key != "key-given-1-0123456789" || err != nil {
			t.Errorf("Key = %q, %v", key, err)
		}
	}
	if key, err := s.Key(t.Context(), "openai", "key-given-1-0123456789"); key != "key-given-2-0123456789" || err != nil {
		t.Errorf("after a refusal: %q, %v", key, err)
	}
	if got := secrets.Redact("key-given-2-0123456789"); got != obs.Redacted {
		t.Errorf("the redactor leaves %q", got)
	}
}

func TestCommandsThatFail(t *testing.T) {
	for name, tc := range map[string]struct {
		command []string
		want    string
	}{
		"no program":    {[]string{"there-is-no-such-program"}, "executable file not found"},
		"an exit code":  {[]string{"sh", "-c", "echo " + secret + "; echo not signed in, " + secret + " >&2; exit 3"}, "exit status 3: not signed in, «redacted»"},
		"nothing":       {[]string{"true"}, "it prints nothing"},
		"several lines": {[]string{"sh", "-c", "echo " + secret + "; echo " + secret}, "more than one line"},
		"several words": {[]string{"echo", secret, secret}, "a space"},
		"a flood":       {[]string{"sh", "-c", "while :; do echo " + secret + secret + " || exit 1; done & sleep 1; kill $!"}, "prints more than a key"},
		"escapes":       {[]string{"sh", "-c", `printf '\033]0;x' >&2; exit 1`}, "exit status 1"},
		"no output":     {[]string{"sh", "-c", "exec >&-; exit 0"}, "it prints nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := printing(t, tc.command...)
			key, err := s.Key(t.Context(), "openai", "")
			if key != "" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("Key = %q, %v, want %q", key, err, tc.want)
			}
		})
	}
}

// The program does not wait for a command when it ends, nor leave one behind.
func TestTheEndKillsACommand(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := printing(t, "sh", "-c", `sleep 600 & echo $! >"$1"; wait`, "sh", pipe)
	failed := make(chan error, 1)
	go func() {
		_, err := s.Key(t.Context(), "openai", "")
		failed <- err
	}()
	pid, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := <-failed; fault.KindOf(err) != fault.Canceled {
		t.Errorf("the caller gets %v", err)
	}
	process := filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat")
	if stat, err := os.ReadFile(process); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("its child is alive: %s", stat)
	}
}
