package filter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/bpf"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

func TestMain(m *testing.M) {
	attempt.Child(confine)
	os.Exit(m.Run())
}

type kind struct {
	name    string
	options filter.Options
}

// kinds has the sandboxes in which attempts are made, in the order of the table's columns.
var kinds = []kind{
	{"landlock 5, read-only", filter.Options{ReadOnly: true, LandlockABI: 5}},
	{"landlock 7, read-only", filter.Options{ReadOnly: true, LandlockABI: 7}},
	{"landlock 7", filter.Options{LandlockABI: 7}},
	{"namespaces, read-only", filter.Options{ReadOnly: true, Namespaces: true}},
	{"namespaces", filter.Options{Namespaces: true}},
}

func confine(kind string, _ *attempt.World) error {
	for _, k := range kinds {
		if k.name == kind {
			program, err := filter.Program(k.options)
			if err != nil {
				return err
			}
			return install(program)
		}
	}
	return nil
}

// install applies a filter while the process has several threads, and looks at each.
func install(program []bpf.RawInstruction) error {
	begun, end := make(chan bool), make(chan bool)
	defer close(end)
	for range 4 {
		go func() {
			runtime.LockOSThread()
			begun <- true
			<-end
		}()
		<-begun
	}
	if err := filter.Install(program); err != nil {
		return err
	}
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) < 4 {
		return fmt.Errorf("found %d threads, %v", len(threads), err)
	}
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.Contains(string(status), "Seccomp:\t2\n") || !strings.Contains(string(status), "NoNewPrivs:\t1\n") {
			return fmt.Errorf("%s has no filter:\n%s", path, status)
		}
	}
	return nil
}

func TestAttemptsBehindTheFilter(t *testing.T) {
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, attempt.Ordinary)
	}
	for _, uid := range uids {
		for column, kind := range append([]kind{{name: "none"}}, kinds...) {
			t.Run(fmt.Sprintf("uid %d, %s", uid, kind.name), func(t *testing.T) {
				attempt.Compare(t, expected, column, attempt.NewWorld(t, uid).Run(t, kind.name))
			})
		}
	}
}

// expected says what each attempt does: without a sandbox, which is the control of the
// attempts themselves, and behind each kind of filter alone. Files are not a matter of
// filters, so those outside can be read here.
const expected = `
read                               +  +  +  +  +  +
list                               +  +  +  +  +  +
write                              +  +  +  +  +  +
create                             +  +  +  +  +  +
truncate                           +  +  +  +  +  +
open and truncate                  +  +  +  +  +  +
delete                             +  +  +  +  +  +
rename                             +  +  +  +  +  +
move in                            +  +  +  +  +  +
move out                           +  +  +  +  +  +
hard link                          +  +  +  +  +  +
through a symbolic link            +  +  +  +  +  +
make a folder                      +  +  +  +  +  +
make a pipe                        +  +  +  +  +  +
make a device inside               ?  -  -  -  -  -
make a device at a folder          ?  -  -  -  -  -
write inside                       +  +  +  +  +  +
stat                               +  +  +  +  +  +
getxattr                           ?  -  -  -  ?  ?
watch a folder                     +  -  -  -  +  +
chmod                              +  -  -  +  -  +
fchmodat2                          ?  -  -  ?  -  ?
chown                              +  -  -  +  -  +
utimes                             +  -  -  +  -  +
setxattr                           ?  -  -  ?  -  ?
removexattr                        ?  -  -  ?  -  ?
chattr by ioctl                    ?  -  -  ?  -  ?
chattr by path                     ?  -  -  ?  -  ?
command line of a process          ?  ?  ?  ?  ?  ?
environment of a process           ?  ?  ?  ?  ?  ?
memory of a process                ?  ?  ?  ?  ?  ?
ptrace                             ?  -  -  -  -  -
process_vm_readv                   ?  -  -  -  -  -
pidfd_getfd                        ?  -  -  -  -  -
kill                               +  -  +  +  +  +
tgkill                             +  -  +  +  +  +
pidfd_send_signal                  +  -  +  +  +  +
signals by fcntl                   +  -  +  +  +  +
prlimit                            +  -  -  -  -  -
renice                             ?  -  -  -  -  -
renice all                         ?  -  -  -  -  -
nice itself                        +  +  +  +  +  +
ioprio_set                         ?  -  -  -  -  -
sched_setaffinity                  ?  -  -  -  -  -
threads                            +  +  +  +  +  +
user namespace by clone            ?  -  -  -  -  -
user namespace by unshare          ?  -  -  -  -  -
clone3                             ?  -  -  -  -  -
setns                              ?  -  -  -  -  -
TCP                                +  -  -  -  +  +
Multipath TCP                      ?  -  -  -  ?  ?
TCP fast open                      ?  -  -  -  ?  ?
UDP                                +  -  -  -  +  +
listen                             +  -  -  -  +  +
listen without bind                +  -  -  -  +  +
socket by path                     +  -  -  -  +  +
abstract socket                    +  -  -  -  +  +
datagram by path                   +  -  -  -  +  +
datagram by path from a pair       +  -  -  -  +  +
datagram by path from a raw pair   ?  -  -  -  ?  ?
socket by path from a pair         -  -  -  -  -  -
socket pair                        +  +  +  +  +  +
netlink                            ?  -  -  -  ?  ?
vsock                              ?  -  -  -  -  -
vsock with a high bit              ?  -  -  -  -  -
AF_ALG                             ?  -  -  -  -  -
packets                            ?  -  -  -  -  -
io_uring                           ?  -  -  -  -  -
userfaultfd                        ?  -  -  -  -  -
keyctl                             ?  -  -  -  -  -
bpf                                ?  -  -  -  -  -
perf_event_open                    ?  -  -  -  -  -
mount                              ?  -  -  -  -  -
open_tree                          ?  -  -  -  -  -
fsopen                             ?  -  -  -  -  -
name_to_handle_at                  ?  -  -  -  -  -
personality                        ?  -  -  -  -  -
System V shared memory             ?  -  -  -  ?  ?
message queue                      ?  -  -  -  ?  ?
seccomp                            ?  ?  ?  ?  ?  ?
TIOCSTI                            +  -  -  -  -  -
TIOCSTI with a high bit            +  -  -  -  -  -
TIOCGWINSZ                         +  +  +  +  +  +
a call of the future               ?  -  -  -  -  -
memfd_create                       +  +  +  +  +  +
x32 call                           ?  -  -  -  -  -
32-bit call                        ?  -  -  -  -  -
`
