package tool

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestWhatASandboxHasStopped(t *testing.T) {
	outside := t.TempDir()
	inside := t.TempDir()
	secret, program := filepath.Join(outside, "key"), filepath.Join(outside, "only-outside")
	for _, name := range []string{secret, program, filepath.Join(inside, ".env"), filepath.Join(inside, "there")} {
		if err := os.WriteFile(name, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", outside)
	p := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{inside}, Deny: []string{filepath.Join(inside, ".env")}}
	relative, err := filepath.Rel(inside, secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, output string
		stopped      bool
	}{
		{"a write outside", "touch: cannot touch '/etc/x': Read-only file system", true},
		{"git", "fatal: Unable to create '/w/.git/index.lock': Read-only file system", true},
		{"a name", "curl: (6) Could not resolve host: example.com", true},
		{"our proxy", "HTTP/1.1 403 evil.example:443 is not allowed in the sandbox: no rule covers it", true},
		{"node", "Error: getaddrinfo EAI_AGAIN registry", true},
		{"a file outside", "cat: " + secret + ": No such file or directory", true},
		{"a file outside by a relative path", "cat: " + relative + ": No such file or directory", true},
		{"a denied file", "cat: '" + filepath.Join(inside, ".env") + "': No such file or directory", true},
		{"a file that is nowhere", "cat: " + filepath.Join(outside, "x") + ": No such file or directory", false},
		{"a file inside", "cat: " + filepath.Join(inside, "x") + ": No such file or directory", false},
		{"a file inside that is there now", "cat: " + filepath.Join(inside, "there") + ": No such file or directory", false},
		{"a program outside", "bash: line 1: only-outside: command not found", true},
		{"a program that is nowhere", "bash: line 1: nowhere-at-all: command not found", false},
		{"Python", "PermissionError: [Errno 13] Permission denied: '/etc/x'", true},
		{"node on a file", "Error: EACCES: permission denied, open '/etc/x'", true},
		{"Rust", "Error: Read-only file system (os error 30)", true},
		{"Go", "dial tcp: lookup example.com: no such host", true},
		{"behind a progress line", "  0     0\rcurl: (6) Could not resolve host: example.com", true},
		{"a test in words", "FAIL TestPerm: want 'Permission denied', got nil", false},
		{"a test with a colon", "expected: Permission denied", false},
		{"a test with a name", "want EACCES", false},
		{"a quoted text", "the message is: 'Permission denied'", false},
		{"a sentence", "Permission denied errors are retried", false},
		{"a failure of its own", "FAIL: 2 tests", false},
		{"no output", "", false},
		{"long ago", "Permission denied\n" + strings.Repeat("ok\n", 2000), false},
	} {
		c := shell.Command{Sandbox: p, Start: inside}
		r := confined(success(tc.output), shell.Report{Output: tc.output, Code: 1}, c, nil)
		if !r.Sandboxed || (r.StoppedBy != "") != tc.stopped || strings.Contains(r.Text, "<the sandbox seems") != tc.stopped {
			t.Errorf("%s: %+v, want that the sandbox stopped it: %v", tc.name, r, tc.stopped)
		}
	}
}

// Neither a command that succeeded nor one outside was stopped; what the proxy has refused is certain.
func TestWhatASandboxHasStoppedForCertain(t *testing.T) {
	p := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w"}}
	refused := "Permission denied"
	if r := confined(success(refused), shell.Report{Output: refused}, shell.Command{Sandbox: p}, nil); r.StoppedBy != "" {
		t.Errorf("a command that succeeded: %+v", r)
	}
	if r := confined(success(refused), shell.Report{Output: refused, Code: 137, Stopped: true}, shell.Command{Sandbox: p}, nil); r.StoppedBy != "" {
		t.Errorf("a command that the user has stopped: %+v", r)
	}
	hosts := []string{"example.com:443: no rule allows it"}
	if r := confined(success(""), shell.Report{Code: 1}, shell.Command{Sandbox: p}, hosts); !strings.HasPrefix(r.StoppedBy, "the sandbox has stopped it (example.com:443: no rule allows it)") {
		t.Errorf("a host that the proxy has refused: %+v", r)
	}
	if r := (watch{}).result(success(refused), shell.Report{Output: refused, Code: 1}, shell.Command{}); r.StoppedBy != "" || r.Sandboxed {
		t.Errorf("a command outside: %+v", r)
	}
}

// The user is told which files a command has made that make programs run, and git does not
// obey those that no git command makes. Files that existed before are not named.
func TestFilesThatMakeProgramsRunAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := shell.Command{Sandbox: &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".vscode", ".envrc"}}}
	boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
	guard := quarantine.Open(vfs.OS{}, "").Guard(quarantine.Options{Boxes: boxes, Servers: boxes, Runs: func(string) string { return "" }})
	k := &console{boxes: boxes, guard: guard}
	write(".git/config")
	write(".envrc")
	w := k.watch(c.Sandbox)
	write(".vscode/tasks.json")
	write(".git/commondir")
	res := w.result(success("ok"), shell.Report{Output: "ok"}, c)
	if len(res.After) != 1 {
		t.Fatalf("%+v", res)
	}
	want := "sidestick quarantine allow " + filepath.Join(dir, ".git/commondir") + "): " + filepath.Join(dir, ".git/commondir") + " ("
	if text, err := json.Marshal(res.After[0]); err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s, %v, want %q", text, err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git/commondir")); err == nil {
		t.Error("git still obeys the file")
	}
	if _, err := os.Stat(filepath.Join(dir, ".vscode.untrusted/tasks.json")); err != nil {
		t.Error("an editor still obeys the file")
	}
	if !strings.HasSuffix(res.Text, "until the user takes it back: "+filepath.Join(dir, ".git/commondir")+", "+filepath.Join(dir, ".vscode")+">") {
		t.Errorf("the model reads %q", res.Text)
	}
	if res := k.watch(c.Sandbox).result(success("ok"), shell.Report{Output: "ok"}, c); len(res.After) > 0 {
		t.Errorf("the next command: %+v", res.After)
	}
}

// The model and the user read what the sandbox refused, before all that it withholds.
func TestTheCauseOfARefusal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	key := filepath.Join(home, "key")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w"}}
	for output, want := range map[string]string{
		"cat: " + key + ": No such file or directory":            "reading your home folder",
		"cat: " + key + ": Permission denied":                    "reading your home folder",
		"cat: ~/key: No such file or directory":                  "reading your home folder",
		"touch: cannot touch '/etc/x': Read-only file system":    "writing outside of its folders, or to a protected file",
		"curl: (6) Could not resolve host: example.com":          "a connection",
		"ssh: connect to host x port 22: Network is unreachable": "a connection",
	} {
		r := confined(success(output), shell.Report{Output: output, Code: 1}, shell.Command{Sandbox: p, Start: "/w"}, nil)
		if !strings.Contains(r.Text, "<the sandbox seems to have refused this: "+want+"; its limits: it may write only in /w") || !strings.Contains(r.Text, "; the user can ") {
			t.Errorf("%s: the text is %q, want %q", output, r.Text, want)
		}
	}
}

func TestWhatASandboxWithholds(t *testing.T) {
	for _, tc := range []struct {
		policy sandbox.Policy
		want   string
	}{
		{sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{"/w"}}, "it may not write in /w, and has no network"},
		{sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w", "/l"}}, "it may write only in /w, /l, and not to .git, and has no network"},
		{
			sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w"}, Git: true, Network: sandbox.Network{AllowURLs: []string{"example.com"}}},
			"it may write only in /w, and may connect only to example.com",
		},
		{sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w"}, Git: true, Network: sandbox.Network{AllowURLs: []string{""}}}, "it may write only in /w"},
	} {
		if got := withholds(&tc.policy); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}

// A command in the sandbox that cannot reach a server of the machine reads that the sandbox has a
// localhost of its own. The user is asked only if such a server runs.
func TestTheSandboxHasALocalhostOfItsOwn(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	port := strconv.Itoa(server.Addr().(*net.TCPAddr).Port)
	p := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/w"}}
	for _, line := range []string{
		"curl: (7) Failed to connect to localhost port PORT after 0 ms: Couldn't connect to server",
		"connect ECONNREFUSED 127.0.0.1:PORT",
		"dial tcp [::1]:PORT: connect: connection refused",
		"nc: connect to localhost (127.0.0.1) port PORT (tcp) failed: Connection refused",
		`connection to server at "localhost" (127.0.0.1), port PORT failed: Connection refused`,
	} {
		for at, asks := range map[string]bool{port: runtime.GOOS == "linux", "1": false} {
			output := strings.ReplaceAll(line, "PORT", at)
			r := confined(success(output), shell.Report{Output: output, Code: 7}, shell.Command{Sandbox: p, Start: "/w"}, nil)
			if (r.StoppedBy != "") != asks || !strings.Contains(r.Text, "localhost of its own") || !strings.Contains(r.Text, "; the user can let the command run outside") {
				t.Errorf("%s: the user is asked %q, and the model reads %q", output, r.StoppedBy, r.Text)
			}
		}
	}
	other := "dial tcp 10.0.0.1:80: connect: connection refused"
	if r := confined(success(other), shell.Report{Output: other, Code: 7}, shell.Command{Sandbox: p}, nil); strings.Contains(r.Text, "localhost") {
		t.Errorf("%s: the model reads %q", other, r.Text)
	}
}
