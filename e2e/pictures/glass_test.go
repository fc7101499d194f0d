//go:build unix

package pictures

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience is how long a test waits for what the screen should show. It only says how a test fails.
const patience = 20 * time.Second

// quiet is how long a screen must stay the same to be a picture.
const quiet = 200 * time.Millisecond

// place is a folder with a project, and a home of its own.
type place struct{ home, folder string }

// project makes a small project, as the demo and the walkthrough have it.
func project(t *testing.T) *place {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{home: home, folder: filepath.Join(home, "slug")}
	if err := os.CopyFS(p.folder, os.DirFS("testdata/slug")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"slug.sh", "test.sh"} {
		if err := os.Chmod(filepath.Join(p.folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.Command("git", "init", "-q", "-b", "main", p.folder)
	git.Env = p.environment("")
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// environment is all that the program gets to know of this machine.
func (p *place) environment(url string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "SIDESTICK_HOME=" + filepath.Join(p.home, ".sidestick"), "SIDESTICK_KEYRING=off",
		"SIDESTICK_BASE_URL=" + url + "/v1", "SIDESTICK_API_KEY=none", "SIDESTICK_MODEL=scripted", "TERM=xterm-256color", "LANG=C.UTF-8",
	}
}

func (p *place) command(url string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.folder, p.environment(url)
	return cmd
}

// run has the program answer a prompt, so that there is a session.
func (p *place) run(t *testing.T, url, prompt string) {
	t.Helper()
	if out, err := p.command(url, "run", "--allow-tool", "write", prompt).CombinedOutput(); err != nil {
		t.Fatalf("run %q: %v\n%s", prompt, err, out)
	}
}

// glass is the program at an emulated terminal.
type glass struct {
	tty     *os.File
	news    chan struct{} // holds one: the screen has changed
	mu      sync.Mutex    // guards what follows
	screen  *vt.Emulator
	visible bool // the cursor
	gone    bool
}

// open starts the program at a terminal, until the test ends.
func (p *place) open(t *testing.T, url string, columns, rows int, args ...string) *glass {
	t.Helper()
	g := &glass{screen: vt.NewEmulator(columns, rows), news: make(chan struct{}, 1), visible: true}
	g.screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { g.visible = visible }})
	cmd := p.command(url, args...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	g.tty = tty
	var both sync.WaitGroup
	both.Go(g.read)
	both.Go(func() { _, _ = io.Copy(tty, g.screen) }) // the answers of the terminal
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the picture is taken
		_ = cmd.Wait()
		_ = tty.Close()
		_ = g.screen.InputPipe().(io.Closer).Close()
		both.Wait()
	})
	return g
}

func (g *glass) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := g.tty.Read(buf)
		g.mu.Lock()
		_, _ = g.screen.Write(buf[:n]) // it takes everything
		g.gone = g.gone || err != nil
		g.mu.Unlock()
		select {
		case g.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// typed types keys, each in a write of its own: many characters in one write are a paste.
func (g *glass) typed(t *testing.T, keys []string) {
	t.Helper()
	for _, key := range keys {
		if _, err := g.tty.WriteString(key); err != nil {
			t.Fatal(err)
		}
		if len(key) > 1 && key[0] != 0x1b { // the end of a text, before a key that would belong to the paste
			g.until(t, key[max(0, len(key)-20):])
			g.settled(t)
		}
	}
}

// until waits until the screen has all of these texts.
func (g *glass) until(t *testing.T, texts ...string) {
	t.Helper()
	late := time.After(patience)
	for {
		text, gone := g.text()
		missing := ""
		for _, want := range texts {
			if !strings.Contains(text, want) {
				missing = want
			}
		}
		if missing == "" {
			return
		}
		if gone {
			t.Fatalf("the program has ended; its screen:\n%s", text)
		}
		select {
		case <-g.news:
		case <-late:
			t.Fatalf("the screen does not show %q:\n%s", missing, text)
		}
	}
}

func (g *glass) text() (text string, gone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return read(g.screen, false).String(), g.gone
}

// settled is the screen once it has not changed for a while, but for what always moves.
func (g *glass) settled(t *testing.T) *grid {
	t.Helper()
	late := time.After(patience)
	still := time.After(quiet)
	last := ""
	for {
		g.mu.Lock()
		now := read(g.screen, g.visible)
		g.mu.Unlock()
		if text := now.masked("").String(); text != last {
			last, still = text, time.After(quiet)
		}
		select {
		case <-g.news:
		case <-still:
			return now
		case <-late:
			t.Fatalf("the screen does not come to rest:\n%s", last)
		}
	}
}
