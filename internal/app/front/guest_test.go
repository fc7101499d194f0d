package front

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// newGuest is the program behind the interface on a server, whose session has one answer.
func newGuest(t *testing.T) (*attached, *seat) {
	t.Helper()
	h := newHouse(t, true, modeltest.Reply{Text: "Hello, Ann.", Repeat: true})
	link, err := remote.Connect(t.Context(), remote.Options{Dial: h.dial, Address: "host:1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = link.Close() }) // the test has ended
	g := &guest{desk: desk{&cli.Options{Sys: cli.System{Getenv: func(string) string { return "" }}}, h.parts.Config, keymap.Default(), new(atomic.Int32)}, link: link, near: true}
	at, err := g.create(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s := h.sit(at)
	t.Cleanup(g.leaving.Wait)
	s.say("I am Ann.")
	s.until("session.idle")
	return at, s
}

func TestCommandsOnAServer(t *testing.T) {
	g, _ := newGuest(t)
	file := filepath.Join(t.TempDir(), "session.md")
	for _, tc := range []struct{ command, arg, text, fails string }{
		{"usage", "", "model calls   1, for 1 message", ""},
		{"cost", "", "does not count tokens", ""},
		{"status", "", "servers  none", ""},
		{"memory", "", "", ""},
		{"config", "vim", "Whether the input box has the keys of vi", ""},
		{"config", "vin", "", "did you mean vim?"},
		{"context", "", "system message", ""},
		{"context", "", "of 128,000 (the list of models), estimated", ""}, // as in a session of this process
		{"rename", "Ann's", "the session is now called: Ann's", ""},
		{"model", "other", "", ""},
		{"export", file, "written", ""},
		{"export", "x.pdf", "", "is not known"},
		{"mode", "fast", "", "there is no mode"},
		{"copy", "7", "", "no such answer"},
		{"copy", "x", "", "is not an answer number"},
		{"show", "7", "", "there is no call"},
		{"background", "", "", "no call waits"},
		{"quit", "now", "", "takes no argument"},
		{"allow", "on", "you are no longer asked", ""}, // the server does that
		{"EFFORT", "high", "the effort is now high", ""},
		{"quarantine", "", "", "/quarantine works only in a session of this process, and this one is on the server host:1"},
		{"nothing", "", "", "there is no command /nothing"},
		{"resume", "zzz", "", "there is no such session"},
	} {
		e, err := g.run(t.Context(), tc.command, tc.arg)
		if got := ""; err != nil {
			got = g.words(err)
			if tc.fails == "" || !strings.Contains(got, tc.fails) {
				t.Errorf("/%s %s: %s, want %q", tc.command, tc.arg, got, tc.fails)
			}
		} else if tc.fails != "" || !strings.Contains(e.Text, tc.text) {
			t.Errorf("/%s %s: %q, want %q", tc.command, tc.arg, e.Text, tc.text+tc.fails)
		}
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "Hello, Ann.") {
		t.Errorf("the exported session: %q, %v", text, err)
	}
	if e, err := g.run(t.Context(), "copy", ""); err != nil || e.Copy != "Hello, Ann." {
		t.Errorf("copied: %q, %v", e.Copy, err)
	}
	for _, command := range []string{"help", "show"} {
		if e, err := g.run(t.Context(), command, ""); err != nil || e.Read == nil {
			t.Errorf("/%s opens no page: %v", command, err)
		}
	}
	for _, command := range []string{"config", "sessions", "resume", "rewind", "undo", "diff", "model"} {
		if e, err := g.run(t.Context(), command, ""); err != nil || e.Pick == nil {
			t.Errorf("/%s opens no list: %v", command, err)
		}
	}
}

// Other sessions of the server are entered, changed and removed.
func TestSessionsOfAServer(t *testing.T) {
	g, s := newGuest(t)
	first := s.ID()
	for _, command := range []string{"fork", "new"} {
		e, err := g.run(t.Context(), command, "")
		if err != nil || e.Session == nil || e.Session.ID() == g.current() {
			t.Fatalf("/%s: %v", command, err)
		}
		g = e.Session.(*attached)
		t.Cleanup(func() { _ = e.Session.Leave(t.Context()) })
	}
	if e, err := g.run(t.Context(), "resume", g.current()); err != nil || !strings.Contains(e.Text, "open already") {
		t.Errorf("the session that is shown: %q, %v", e.Text, err)
	}
	s.leave()
	g.leaving.Wait()
	if err := g.rename(t.Context(), first, "the first"); err != nil {
		t.Error(err)
	}
	if r, err := g.recap(t.Context(), first); err != nil || r.Answer.Body != "Hello, Ann." {
		t.Errorf("%+v, %v", r, err)
	}
	all, err := g.stored(t.Context())
	if err != nil || len(all) < 2 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	titles := map[string]string{}
	for _, m := range all {
		titles[m.SessionID] = m.Summary
	}
	if titles[first] != "the first" {
		t.Errorf("the titles are %q", titles)
	}
	if id, err := g.chosen(t.Context(), &entry.Settings{Resume: first}); err != nil || id != first {
		t.Errorf("%s, %v", id, err)
	}
	if err := g.remove(t.Context(), first); err != nil {
		t.Error(err)
	}
	if m, err := g.link.Metadata(t.Context(), first); err != nil || m != nil {
		t.Errorf("a removed session: %+v, %v", m, err)
	}
}

// The terminal of a server's session says what one of this process says: that everything is allowed,
// which files go with a message, and how to continue.
func TestAServerIsAsHere(t *testing.T) {
	t.Chdir(t.TempDir())
	g, s := newGuest(t)
	if d, err := s.Describe(t.Context()); err != nil || d.AllowAll {
		t.Errorf("at first: %+v, %v", d, err)
	}
	if err := g.link.Call(t.Context(), "session.permissions.setMode", map[string]any{"sessionId": s.ID(), "mode": "allow-all"}, nil); err != nil {
		t.Fatal(err)
	}
	s.until("session.permissions_changed")
	if d, err := s.Describe(t.Context()); err != nil || !d.AllowAll {
		t.Errorf("after the change: %+v, %v", d, err)
	}
	folder := g.Description().Folder
	if err := os.WriteFile(filepath.Join(folder, "notes.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := g.mentioned(g, "read @notes.md and ask @ann"); len(got) != 1 || got[0].Path != filepath.Join(folder, "notes.md") {
		t.Errorf("mentioned: %+v", got)
	}
	g.near = false
	if got, _ := g.mentioned(g, "read @notes.md"); got != nil {
		t.Errorf("on another machine: %+v", got)
	}
	var out bytes.Buffer
	g.Sys.Stderr = &out
	g.goodbye(t.Context(), g)
	if !strings.HasPrefix(out.String(), "to continue: sidestick chat --connect host:1 --resume ") {
		t.Errorf("goodbye: %q", &out)
	}
	out.Reset()
	g.link.Dial = func(context.Context) (io.ReadWriteCloser, error) { return nil, errors.New("connection refused") }
	if err := g.link.Close(); err != nil {
		t.Fatal(err)
	}
	if g.goodbye(t.Context(), g); out.String() != "to continue: sidestick chat --connect host:1 --resume "+s.ID()+"\n" {
		t.Errorf("goodbye without a connection: %q", &out)
	}
}

func TestAddresses(t *testing.T) {
	for address, near := range map[string]bool{"127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, ":1": true, "10.0.0.1:1": false, "example.com:1": false} {
		if got := onThisMachine(address); got != near {
			t.Errorf("%s is on this machine: %v", address, got)
		}
	}
}

// To a server on another machine an image goes with its content; other files stay text.
func TestPastedFar(t *testing.T) {
	dir := t.TempDir()
	image, text := filepath.Join(dir, "a.png"), filepath.Join(dir, "a.txt")
	for name, data := range map[string]string{image: "\x89PNG\r\n\x1a\nrest", text: "text"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := pastedFar(image); len(got) != 1 || got[0].Path != "" || !strings.HasPrefix(string(got[0].Data), "\x89PNG") {
		t.Errorf("an image: %+v", got)
	}
	if got := pastedFar(text); got != nil {
		t.Errorf("a text: %+v", got)
	}
}

// Files can be asked for before the session is open, and several times at once.
func TestFilesOfAServer(t *testing.T) {
	if _, err := (&guest{near: true}).listFiles(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "not open yet") {
		t.Errorf("without a session: %v", err)
	}
	g, _ := newGuest(t)
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			if files, err := g.listFiles(t.Context(), g); err != nil || files == nil {
				t.Errorf("%v, %v", files, err)
			}
		})
	}
	asking.Wait()
}
