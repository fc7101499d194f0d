package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox/landlock"
)

// keeperArg is the argument by which this program is started as the keeper of a sandbox. With
// landlockArg after it, the program confines itself by Landlock and becomes a keeper then.
const (
	keeperArg   = "sandbox-exec"
	landlockArg = "landlock"
)

// keeperSocket is the descriptor of the socket to the program outside.
const keeperSocket = 3

// RunKeeper is the main function of the keeper inside a sandbox. It returns at once, with
// false, if args, those of os.Args after the name, do not ask for a keeper. Otherwise it serves
// until the program outside closes its end of the socket, and returns the exit code: 2 if this
// program is not outside.
//
// A program that uses this package calls it first in main.
func RunKeeper(args []string) (code int, ran bool) {
	if len(args) == 0 || args[0] != keeperArg {
		return 0, false
	}
	start := func() error { return errNotKept }
	switch {
	case len(args) == 1:
		start = keep
	case slices.Equal(args[1:], []string{landlockArg}):
		start = enterLandlock
	}
	err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sidestick sandbox-exec: "+err.Error())
	}
	switch {
	case errors.Is(err, errNotKept):
		return 2, true
	case err != nil:
		return 1, true
	}
	return 0, true
}

// errNotKept is the error of a keeper that another program, or the user, has started.
var errNotKept = errors.New("only Sidestick itself starts this command, for each sandbox")

// keep confines this process and serves requests. The thread stays with it, because the
// kernel kills a program when the thread ends that started it (Pdeathsig).
func keep() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ch, s, err := receiveSetup()
	if err != nil {
		return err
	}
	_ = unix.Close(keeperSocket) // the channel has a copy, which commands do not inherit
	listener, err := s.confine()
	r := reply{}
	if err != nil {
		r.Error = err.Error()
	}
	if sent := ch.send(r, listener...); err != nil || sent != nil {
		return errors.Join(err, sent)
	}
	closeFiles(listener)
	return (&keeper{ch: ch, running: map[int]*proctree.Tree{}, started: map[int]bool{}}).serve()
}

// receiveSetup reads the first message. The socket stays open.
func receiveSetup() (*channel, setup, error) {
	var s setup
	_ = unix.CloseRange(keeperSocket+1, math.MaxUint32, 0) // what was left open outside is not for commands
	fd, err := unix.FcntlInt(keeperSocket, unix.F_DUPFD_CLOEXEC, 0)
	var ch *channel
	if err == nil {
		ch, err = newChannel(os.NewFile(uintptr(fd), "socket"))
	}
	if err != nil {
		return nil, s, errNotKept // descriptor 3 is not a socket, so the rest of the error says nothing
	}
	_, err = ch.receive(&s)
	return ch, s, err
}

// enterLandlock confines this process, and starts the program again as the keeper. It returns
// only errors.
func enterLandlock() error {
	ch, s, err := receiveSetup()
	if err != nil {
		return err
	}
	err = landlock.Exec(s.ABI, landlock.Rules{Read: names[string](s.Read), Write: names[string](s.Write), Devices: devices}, []string{os.Args[0], keeperArg}, os.Environ())
	return errors.Join(err, ch.send(reply{Error: err.Error()}))
}

// keeper starts programs inside a sandbox.
type keeper struct {
	ch *channel

	mu      sync.Mutex // guards the rest
	running map[int]*proctree.Tree
	started map[int]bool // the process ids of the programs in running
}

// serve answers requests until the program outside closes the socket.
func (k *keeper) serve() error {
	for {
		var q request
		files, err := k.ch.receive(&q)
		switch {
		case errors.Is(err, io.EOF):
			return nil // the sandbox ends with this process, and all programs in it
		case err != nil:
			return err
		case q.Kill:
			k.kill(q.ID)
		case q.Clear:
			if clearNamespace() {
				_ = k.ch.send(reply{Cleared: true}) // the next receive reports a broken socket
			}
		case q.Count:
			_ = k.ch.send(reply{Counted: true, Others: k.others()})
		default:
			k.start(q, files)
		}
	}
}

// start starts a program and replies.
func (k *keeper) start(q request, files []*os.File) {
	cmd := &exec.Cmd{Path: q.Path, Args: q.Args, Dir: q.Dir, Env: q.Env, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}}
	near, far, err := connect(cmd, q, files)
	if err == nil {
		err = k.begin(q.ID, cmd)
	}
	closeFiles(slices.Concat(files, far))
	if err != nil {
		_ = k.ch.send(reply{ID: q.ID, Error: reason(err), NotFound: errors.Is(err, fs.ErrNotExist)}) // the next receive reports a broken socket
		closeFiles(near)
		return
	}
	_ = k.ch.send(reply{ID: q.ID, PID: cmd.Process.Pid}, near...)
	closeFiles(near)
	go k.wait(q.ID, cmd) // ends with the program, or with this process
}

// begin starts the process of a program.
func (k *keeper) begin(id int, cmd *exec.Cmd) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	tree := proctree.NewTree(cmd.Process.Pid)
	k.running[id], k.started[cmd.Process.Pid] = &tree, true
	return nil
}

// connect gives a program its descriptors, or a terminal, of which it returns both sides.
func connect(cmd *exec.Cmd, q request, files []*os.File) (near, far []*os.File, err error) {
	if q.Terminal == nil {
		for i, f := range files {
			switch i {
			case 0:
				cmd.Stdin = f
			case 1:
				cmd.Stdout = f
			case 2:
				cmd.Stderr = f
			default:
				cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			}
		}
		return nil, nil, nil
	}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: q.Terminal.Rows, Cols: q.Terminal.Cols}); err != nil {
		return nil, nil, errors.Join(err, master.Close(), slave.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr.Setctty = true
	return []*os.File{master}, []*os.File{slave}, nil
}

// wait reports the end of a program, after killing what it has left behind.
func (k *keeper) wait(id int, cmd *exec.Cmd) {
	_ = cmd.Wait() // the result is in ProcessState
	k.mu.Lock()
	tree := k.running[id]
	delete(k.running, id)
	k.mu.Unlock()
	tree.KillAll()
	k.mu.Lock()
	delete(k.started, cmd.Process.Pid)
	collectAdopted(k.started)
	k.mu.Unlock()
	_ = k.ch.send(reply{ID: id, Ended: true, Code: proctree.ExitCode(cmd.ProcessState)})
}

// kill kills a program and everything that it started.
func (k *keeper) kill(id int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if tree := k.running[id]; tree != nil {
		tree.KillOnce()
	}
}

// others returns how many processes there are in the namespace beside this one, the first, which is bwrap,
// and the programs that this one has started; 1 if that cannot be found out.
func (k *keeper) others() (n int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 1
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && pid != 1 && pid != os.Getpid() && !k.started[pid] {
			n++
		}
	}
	return n
}

// clearNamespace kills every process in the namespace but this one and the first, which is bwrap, and
// reports whether none is left. The kernel does not let a process start another one while it is killed
// with all others. Source: kill(2), "-1".
func clearNamespace() bool {
	for late := time.Now().Add(killTime); time.Now().Before(late); time.Sleep(time.Millisecond) {
		_ = unix.Kill(-1, unix.SIGKILL)
		if unix.Kill(-1, 0) == unix.ESRCH {
			return true
		}
	}
	return false
}

// reason is an error without the names of the call and of the file, which the caller knows.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// listen opens a listener on the loopback address, for the proxy outside.
func listen() (*os.File, error) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: proxyPort})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.File()
}
