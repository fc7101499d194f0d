package app_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// nobody is a user without rights.
const nobody = 65534

// A command of the model runs as the user of the program. It cannot read the program's
// environment, where the keys are, nor its memory.
func TestACommandCannotLookIntoTheProgram(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ dumpable, want string }{{"", "REFUSED REFUSED REFUSED"}, {"0", "REFUSED REFUSED REFUSED"}, {"1", "READ READ READ"}} {
		t.Run("SIDESTICK_DUMPABLE="+tc.dumpable, func(t *testing.T) {
			// The parent of the shell is its keeper, and the program is the parent of that one.
			command := `while read -r k v; do [ $k = PPid: ] && p=$v; done </proc/$PPID/status; ` +
				`for f in environ maps mem; do if head -c 0 /proc/$p/$f && exec 3</proc/$p/$f; then echo READ; else echo REFUSED; fi; done 2>/dev/null | paste -sd' '`
			server := modeltest.NewServer(
				modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":` + quoted(command) + `,"description":"d"}`}}},
				modeltest.Reply{Text: "Done."},
			)
			host := modeltest.NewHost(server)
			defer host.Close()
			url, err := host.Listen()
			if err != nil {
				t.Fatal(err)
			}
			dir := openFolder(t)
			cmd := exec.Command(filepath.Join(dir, "sidestick"), "run", "--allow-all", "look")
			cmd.Dir = dir
			cmd.Env = []string{
				"PATH=" + filepath.Dir(bash) + ":/usr/bin:/bin", "HOME=" + dir, "SIDESTICK_HOME=" + dir + "/home", "GORACE=atexit_sleep_ms=0",
				"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=sk-canary-0123456789", "SIDESTICK_MODEL=m", "SIDESTICK_DUMPABLE=" + tc.dumpable,
			}
			if os.Geteuid() == 0 { // whom nothing stops
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: false}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("run: %v\n%s", err, out)
			}
			requests := server.Requests()
			last := requests[len(requests)-1].Last().Content
			if !strings.Contains(last, tc.want) {
				t.Errorf("the command printed %q, want %s\n%s", last, tc.want, out)
			}
		})
	}
}

// openFolder makes a folder that every user can use, with this program in it.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, "sidestick"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// quoted is a text in JSON; it has no characters that need more.
func quoted(text string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`) + `"`
}
