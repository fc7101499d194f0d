//go:build linux

package sandbox_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// asOrdinary is set where this test process is one of an ordinary user, started by root.
const asOrdinary = "SIDESTICK_SANDBOX_ORDINARY"

// Every attempt is made in each kind of sandbox, as a program that its keeper has started; by
// root as an ordinary user, too.
func TestAttemptsInSandboxes(t *testing.T) {
	for column, kind := range []struct {
		name string
		mode sandbox.Mode
		opts sandbox.Options
	}{
		{"namespaces, read-only", sandbox.ReadOnly, sandbox.Options{}},
		{"namespaces, workspace-write", sandbox.WorkspaceWrite, sandbox.Options{}},
		{"landlock 3", sandbox.ReadOnly, sandbox.Options{Bwrap: "-", Landlock: 3}},
		{"landlock 4", sandbox.ReadOnly, sandbox.Options{Bwrap: "-", Landlock: 4}},
		{"landlock 5", sandbox.ReadOnly, sandbox.Options{Bwrap: "-", Landlock: 5}},
		{"landlock", sandbox.ReadOnly, sandbox.Options{Bwrap: "-"}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			b := namespaces(t, kind.mode, kind.opts).Boxes(t.TempDir())
			defer b.Close()
			w := attempt.NewWorld(t, os.Getuid())
			p := sandbox.Policy{Mode: kind.mode, Folders: []string{w.Inside}}
			program := "/run/sidestick"
			if kind.opts.Bwrap != "" {
				program = executable(t)
			}
			results := w.RunIn(t, func(args []string) ([]byte, string, error) {
				return start(t, b, p, sandbox.Spec{Path: program, Args: args, Dir: w.Inside, Env: []string{"PATH=/usr/bin:/bin"}})
			})
			attempt.Compare(t, expected, column, results)
		})
	}
	if os.Getuid() == 0 {
		t.Run("ordinary user", func(t *testing.T) { runOrdinary(t, "TestAttemptsInSandboxes") })
	}
}

// start runs a program in a sandbox, and returns its output and how it ended.
func start(t *testing.T, b *sandbox.Boxes, p sandbox.Policy, s sandbox.Spec) (out []byte, ended string, err error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	s.Files = []*os.File{null, w, w}
	proc, err := b.Start(p, s)
	w.Close()
	if err != nil {
		return nil, "", err
	}
	out, err = io.ReadAll(r)
	code := proc.Wait()
	if code != 0 && err == nil {
		err = fmt.Errorf("exit status %d", code)
	}
	return out, fmt.Sprint(code), err
}

// executable is the path of this test program.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runOrdinary runs a test again as a user without rights.
func runOrdinary(t *testing.T, name string) {
	t.Helper()
	if os.Getenv(asOrdinary) != "" {
		t.Fatal("the user is still root")
	}
	folder, err := os.MkdirTemp("", "ordinary") // not t.TempDir, whose parents belong to root
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	program, own := filepath.Join(folder, "sandbox.test"), filepath.Join(folder, "own")
	text, err := os.ReadFile(executable(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(folder, 0o755), os.WriteFile(program, text, 0o755), os.Mkdir(own, 0o700), os.Chown(own, attempt.Ordinary, attempt.Ordinary),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run=^"+name+"$", "-test.v")
	cmd.Dir = own
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + own, "TMPDIR=" + own, asOrdinary + "=1", attempt.Variable + "=" + os.Getenv(attempt.Variable)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: attempt.Ordinary, Gid: attempt.Ordinary}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
		t.Errorf("%v\n%s", err, out)
	}
}

// expected says what each attempt does in each kind of sandbox. With namespaces, the network
// is the sandbox's own: to listen works, and to send to nobody.
const expected = `
read                               -  -  -  -  -  -
list                               -  -  -  -  -  -
write                              -  -  -  -  -  -
create                             -  -  -  -  -  -
truncate                           -  -  -  -  -  -
open and truncate                  -  -  -  -  -  -
delete                             -  -  -  -  -  -
rename                             -  -  -  -  -  -
move in                            -  -  -  -  -  -
move out                           -  -  -  -  -  -
hard link                          -  -  -  -  -  -
through a symbolic link            -  -  -  -  -  -
make a folder                      -  -  -  -  -  -
make a pipe                        -  -  -  -  -  -
make a device inside               -  -  -  -  -  -
make a device at a folder          -  -  -  -  -  -
write inside                       -  +  -  -  -  -
stat                               -  -  +  +  +  +
getxattr                           -  -  -  -  -  -
watch a folder                     -  -  -  -  -  -
chmod                              -  -  -  -  -  -
fchmodat2                          -  -  -  -  -  -
chown                              -  -  -  -  -  -
utimes                             -  -  -  -  -  -
setxattr                           -  -  -  -  -  -
removexattr                        -  ?  -  -  -  -
chattr by ioctl                    -  ?  -  -  -  -
chattr by path                     -  ?  -  -  -  -
command line of a process          -  -  -  -  -  -
environment of a process           -  -  -  -  -  -
memory of a process                -  -  -  -  -  -
ptrace                             -  -  -  -  -  -
process_vm_readv                   -  -  -  -  -  -
pidfd_getfd                        -  -  -  -  -  -
kill                               -  -  -  -  -  -
tgkill                             -  -  -  -  -  -
pidfd_send_signal                  -  -  -  -  -  -
signals by fcntl                   -  -  -  -  -  ?
prlimit                            -  -  -  -  -  -
renice                             -  -  -  -  -  -
renice all                         -  -  -  -  -  -
nice itself                        +  +  +  +  +  +
ioprio_set                         -  -  -  -  -  -
sched_setaffinity                  -  -  -  -  -  -
threads                            +  +  +  +  +  +
user namespace by clone            -  -  -  -  -  -
user namespace by unshare          -  -  -  -  -  -
clone3                             -  -  -  -  -  -
setns                              -  -  -  -  -  -
TCP                                -  -  -  -  -  -
Multipath TCP                      -  -  -  -  -  -
TCP fast open                      -  -  -  -  -  -
UDP                                +  +  -  -  -  -
listen                             +  +  -  -  -  -
listen without bind                +  +  -  -  -  -
socket by path                     -  -  -  -  -  -
abstract socket                    -  -  -  -  -  -
datagram by path                   -  -  -  -  -  -
datagram by path from a pair       -  -  -  -  -  -
datagram by path from a raw pair   -  -  -  -  -  -
socket by path from a pair         -  -  -  -  -  -
socket pair                        +  +  +  +  +  +
netlink                            ?  ?  -  -  -  -
vsock                              -  -  -  -  -  -
vsock with a high bit              -  -  -  -  -  -
AF_ALG                             -  -  -  -  -  -
packets                            -  -  -  -  -  -
io_uring                           -  -  -  -  -  -
userfaultfd                        -  -  -  -  -  -
keyctl                             -  -  -  -  -  -
bpf                                -  -  -  -  -  -
perf_event_open                    -  -  -  -  -  -
mount                              -  -  -  -  -  -
open_tree                          -  -  -  -  -  -
fsopen                             -  -  -  -  -  -
name_to_handle_at                  -  -  -  -  -  -
personality                        -  -  -  -  -  -
System V shared memory             ?  ?  -  -  -  -
message queue                      ?  ?  -  -  -  -
seccomp                            ?  ?  ?  ?  ?  ?
TIOCSTI                            -  -  -  -  -  -
TIOCSTI with a high bit            -  -  -  -  -  -
TIOCGWINSZ                         +  +  +  +  +  +
a call of the future               -  -  -  -  -  -
memfd_create                       +  +  +  +  +  +
x32 call                           -  -  -  -  -  -
32-bit call                        -  -  -  -  -  -
`
