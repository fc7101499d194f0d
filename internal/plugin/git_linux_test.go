package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/plugin"
)

// stalling is a git server that begins to send a repository, calls began, and sends nothing more.
func stalling(t *testing.T, began func()) *httptest.Server {
	t.Helper()
	line := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	commit := strings.Repeat("a", 40)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprint(w, line("# service=git-upload-pack\n")+"0000"+line(commit+" HEAD\x00symref=HEAD:refs/heads/main shallow side-band-64k ofs-delta\n")+line(commit+" refs/heads/main\n")+"0000")
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		fmt.Fprint(w, line("shallow "+commit+"\n")+"0000"+line("NAK\n")+line("\x01PACK\x00\x00\x00\x02\x00\x00\x10\x00"))
		_ = http.NewResponseController(w).Flush() // the client may have left
		began()
		<-q.Context().Done()
	}))
	t.Cleanup(func() {
		s.CloseClientConnections() // Close waits for them
		s.Close()
	})
	return s
}

// Git fetches and unpacks in programs of its own, which end with it when the copy is given up.
func TestNoPartOfGitGoesOn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := stalling(t, func() { cancel(errors.New("too large")) })
	dir := filepath.Join(t.TempDir(), "copied")
	if err := plugin.Git(os.Environ(), "http")(ctx, s.URL+"/x", dir); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v, want the reason", err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), s.URL) {
			t.Errorf("still running: %q", line)
		}
	}
}
