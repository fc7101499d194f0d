package landlock_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
	"github.com/sidestick-dev/sidestick/internal/sandbox/landlock"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

func TestMain(m *testing.M) {
	attempt.Child(confine)
	os.Exit(m.Run())
}

// system has what a test binary needs that was linked with the C library.
func system() (paths []string) {
	for _, path := range []string{"/usr", "/lib", "/lib64", "/bin"} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			paths = append(paths, real)
		}
	}
	return paths
}

// confine enters the sandbox "landlock VERSION", and behind a plus sign that filter. The
// program executes itself in between, and then has the kind "inside".
func confine(kind string, w *attempt.World) error {
	switch kind {
	case "none":
		return nil
	case "inside":
		return errors.Join(siblings(), noCapabilities(), devices(), readOnly())
	case "absent":
		return absent()
	case "inside+filter":
		program, err := filter.Program(filter.Options{ReadOnly: true, LandlockABI: 7})
		if err != nil {
			return err
		}
		return filter.Install(program)
	}
	kind, behind, _ := strings.Cut(kind, "+")
	abi, err := strconv.Atoi(strings.TrimPrefix(kind, "landlock "))
	if err != nil {
		return err
	}
	rules := landlock.Rules{Read: system(), Write: []string{w.Inside}, Devices: []string{"/dev/null"}}
	next := "inside"
	if behind != "" {
		next += "+" + behind
	}
	return landlock.Exec(abi, rules, attempt.As(next), os.Environ())
}

// siblings starts programs from many threads: each must be able to signal each, and to be
// killed by this one.
func siblings() error {
	var all []*exec.Cmd
	for range 4 {
		started := make(chan *exec.Cmd)
		go func() {
			runtime.LockOSThread() // and never unlocked, so that the next one has another thread
			c := exec.Command("/usr/bin/sleep", "60")
			if err := c.Start(); err != nil {
				c = nil
			}
			started <- c
		}()
		c := <-started
		if c == nil {
			return errors.New("no program can be started")
		}
		all = append(all, c)
	}
	for _, c := range all[1:] {
		script := fmt.Sprintf("kill -0 %d", c.Process.Pid)
		if out, err := exec.Command("/usr/bin/bash", "-c", script).CombinedOutput(); err != nil {
			return fmt.Errorf("a program cannot signal another: %v: %s", err, out)
		}
	}
	for _, c := range all {
		if err := c.Process.Kill(); err != nil {
			return err
		}
		c.Wait()
	}
	return nil
}

// devices uses one that is allowed and one that is not.
func devices() error {
	f, err := os.OpenFile("/dev/null", os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	f.Close()
	if _, err := os.Open("/dev/zero"); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("opening a device that is not allowed: %v", err)
	}
	return nil
}

// readOnly opens for writing what may be read.
func readOnly() error {
	if _, err := os.OpenFile("/usr/bin/true", os.O_WRONLY, 0); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("writing a file that may be read: %v", err)
	}
	return nil
}

// absent checks what is said where Landlock looks absent.
func absent() error {
	if err := attempt.HideLandlock(); err != nil {
		return err
	}
	abi, err := landlock.ABI()
	if abi != 0 || !errors.Is(err, unix.ENOSYS) || fault.KindOf(err) != fault.Unavailable {
		return fmt.Errorf("ABI() = %d, %v", abi, err)
	}
	err = landlock.Exec(7, landlock.Rules{}, os.Args, os.Environ())
	if !errors.Is(err, unix.ENOSYS) || fault.KindOf(err) != fault.Unavailable {
		return fmt.Errorf("Exec() = %v", err)
	}
	return nil
}

// noCapabilities looks at those that this process has, and at those that root could get.
func noCapabilities() error {
	var sets [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &sets[0]); err != nil {
		return err
	}
	if sets != [2]unix.CapUserData{} {
		return fmt.Errorf("the process has capabilities: %+v", sets)
	}
	has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_SYS_ADMIN, 0, 0, 0)
	if err == nil && has != 0 && os.Getuid() == 0 {
		err = errors.New("root can get capabilities back")
	}
	return err
}

// version returns the kernel's version of Landlock, and ends the test if it is too old.
func version(t *testing.T) int {
	t.Helper()
	abi, err := landlock.ABI()
	if abi >= 3 {
		return abi
	}
	attempt.Missing(t, fmt.Sprintf("this kernel has Landlock %d (%v)", abi, err))
	return 0
}

func TestAttemptsInLandlock(t *testing.T) {
	abi := version(t)
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, attempt.Ordinary)
	}
	for _, uid := range uids {
		for column, kind := range []string{"landlock 3", "landlock 5", "landlock 6", "landlock 7", "landlock 7+filter"} {
			wants, err := strconv.Atoi(kind[len("landlock ") : len("landlock ")+1])
			if err != nil {
				t.Fatal(err)
			}
			if wants > abi {
				t.Logf("NOT TESTED: %s, this kernel has %d", kind, abi)
				continue
			}
			t.Run(fmt.Sprintf("uid %d, %s", uid, kind), func(t *testing.T) {
				attempt.Compare(t, expected, column, attempt.NewWorld(t, uid).Run(t, kind))
			})
		}
	}
}

func TestWithoutLandlockNothingIsConfined(t *testing.T) {
	attempt.NewWorld(t, os.Getuid()).Run(t, "absent")
}

func TestRulesThatCannotBe(t *testing.T) {
	abi := version(t)
	folder := t.TempDir()
	link, file := filepath.Join(folder, "link"), filepath.Join(folder, "file")
	if err := errors.Join(os.Symlink("/usr", link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		abi   int
		rules landlock.Rules
		want  string
	}{
		{"a version that is too old", 2, landlock.Rules{}, "Landlock has version 2; commands need 3"},
		{"no version", 0, landlock.Rules{}, "Landlock has version 0"},
		{"relative", abi, landlock.Rules{Read: []string{"usr"}}, "not absolute"},
		{"empty", abi, landlock.Rules{Write: []string{""}}, "not absolute"},
		{"missing", abi, landlock.Rules{Read: []string{filepath.Join(folder, "missing")}}, "no such file"},
		{"a link", abi, landlock.Rules{Read: []string{link}}, "symbolic link"},
		{"below a link", abi, landlock.Rules{Write: []string{filepath.Join(link, "bin")}}, "symbolic link"},
		{"a device to read", abi, landlock.Rules{Read: []string{"/dev/null"}}, "a device"},
		{"a file as a device", abi, landlock.Rules{Devices: []string{file}}, "a device"},
		{"a folder as devices", abi, landlock.Rules{Devices: []string{folder}}, "a device"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := landlock.Exec(tc.abi, tc.rules, []string{"never"}, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) || fault.KindOf(err) == fault.Internal {
				t.Errorf("Exec() = %v, want %q", err, tc.want)
			}
		})
	}
}

// expected says what each attempt does in Landlock 3, 5, 6 and 7 alone, and in 7 behind the
// filter of commands that only read. The filter refuses what Landlock alone leaves open.
const expected = `
read                               -  -  -  -  -
list                               -  -  -  -  -
write                              -  -  -  -  -
create                             -  -  -  -  -
truncate                           -  -  -  -  -
open and truncate                  -  -  -  -  -
delete                             -  -  -  -  -
rename                             -  -  -  -  -
move in                            -  -  -  -  -
move out                           -  -  -  -  -
hard link                          -  -  -  -  -
through a symbolic link            -  -  -  -  -
make a folder                      -  -  -  -  -
make a pipe                        -  -  -  -  -
make a device inside               -  -  -  -  -
make a device at a folder          -  -  -  -  -
write inside                       +  +  +  +  +
stat                               +  +  +  +  +
getxattr                           ?  ?  ?  ?  -
watch a folder                     +  +  +  +  -
chmod                              +  +  +  +  -
fchmodat2                          ?  ?  ?  ?  -
chown                              +  +  +  +  -
utimes                             +  +  +  +  -
setxattr                           ?  ?  ?  ?  -
removexattr                        ?  ?  ?  ?  -
chattr by ioctl                    ?  ?  ?  ?  -
chattr by path                     ?  ?  ?  ?  -
command line of a process          -  -  -  -  -
environment of a process           -  -  -  -  -
memory of a process                -  -  -  -  -
ptrace                             -  -  -  -  -
process_vm_readv                   -  -  -  -  -
pidfd_getfd                        -  -  -  -  -
kill                               +  +  -  -  -
tgkill                             +  +  -  -  -
pidfd_send_signal                  +  +  -  -  -
signals by fcntl                   ?  ?  ?  ?  ?
prlimit                            ?  ?  ?  ?  -
renice                             ?  ?  ?  ?  -
renice all                         ?  ?  ?  ?  -
nice itself                        +  +  +  +  +
ioprio_set                         ?  ?  ?  ?  -
sched_setaffinity                  ?  ?  ?  ?  -
threads                            +  +  +  +  +
user namespace by clone            ?  ?  ?  ?  -
user namespace by unshare          ?  ?  ?  ?  -
clone3                             ?  ?  ?  ?  -
setns                              ?  ?  ?  ?  -
TCP                                +  -  -  -  -
Multipath TCP                      ?  ?  ?  ?  -
TCP fast open                      ?  ?  ?  ?  -
UDP                                +  +  +  +  -
listen                             +  -  -  -  -
listen without bind                +  +  +  +  -
socket by path                     +  +  +  +  -
abstract socket                    +  +  -  -  -
datagram by path                   +  +  +  +  -
datagram by path from a pair       +  +  +  +  -
datagram by path from a raw pair   ?  ?  ?  ?  -
socket by path from a pair         -  -  -  -  -
socket pair                        +  +  +  +  +
netlink                            ?  ?  ?  ?  -
vsock                              ?  ?  ?  ?  -
vsock with a high bit              ?  ?  ?  ?  -
AF_ALG                             ?  ?  ?  ?  -
packets                            ?  ?  ?  ?  -
io_uring                           ?  ?  ?  ?  -
userfaultfd                        ?  ?  ?  ?  -
keyctl                             ?  ?  ?  ?  -
bpf                                ?  ?  ?  ?  -
perf_event_open                    ?  ?  ?  ?  -
mount                              ?  ?  ?  ?  -
open_tree                          ?  ?  ?  ?  -
fsopen                             ?  ?  ?  ?  -
name_to_handle_at                  ?  ?  ?  ?  -
personality                        ?  ?  ?  ?  -
System V shared memory             ?  ?  ?  ?  -
message queue                      ?  ?  ?  ?  -
seccomp                            ?  ?  ?  ?  ?
TIOCSTI                            +  +  +  +  -
TIOCSTI with a high bit            +  +  +  +  -
TIOCGWINSZ                         +  +  +  +  +
a call of the future               ?  ?  ?  ?  -
memfd_create                       +  +  +  +  +
x32 call                           ?  ?  ?  ?  -
32-bit call                        ?  ?  ?  ?  -
`
