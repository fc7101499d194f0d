package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// box is one sandbox: a keeper inside that starts programs, and its private folders.
type box struct {
	rooms  rooms
	home   string // inside
	tmp    string // inside
	git    string // inside
	ch     *channel
	proxy  Proxy  // nil: no network
	stop   func() // ends the proxy and waits for it
	pids   bool   // the keeper's process ids are those of this machine
	used   int    // guarded by Boxes.mu
	covers covers
	ended  chan struct{} // closed when the keeper and all programs have ended

	clearing sync.Mutex    // held by the call that waits for cleared
	cleared  chan struct{} // a value: the keeper has said so
	counting sync.Mutex    // held by the call that waits for counted
	counted  chan int      // what the keeper has counted
	heard    chan struct{} // closed when its last reply has been passed on

	mu       sync.Mutex // guards the rest
	last     int        // number of the latest program
	programs map[int]*Process
	gone     bool // no reply comes any more
	tree     proctree.Tree
	reaped   bool // the keeper has ended, so its id may be in use by another process
}

// start starts a sandbox with a policy. Its private folders are made below dir. seen is what the
// session has seen of the allowed folders.
func (h *Host) start(s *Support, p Policy, dir string, seen *memory) (*box, error) {
	fail := func(err error) (*box, error) {
		return nil, &fault.Error{Op: "sandbox.Start", On: string(p.Mode), Kind: fault.Unavailable, Err: err}
	}
	m, err := h.machine()
	if err != nil {
		return fail(err)
	}
	m.memory = seen
	b := &box{
		rooms: h.rooms(p, dir), tmp: p.tmpOf(), git: gitInside, stop: func() {},
		ended: make(chan struct{}), heard: make(chan struct{}), cleared: make(chan struct{}, 1), counted: make(chan int, 1), programs: map[int]*Process{},
	}
	canary, err := b.furnish(dir, h.gitSettings())
	if err != nil {
		return fail(err)
	}
	if slices.ContainsFunc(slices.Concat(p.Folders, p.Read, p.Write), func(folder string) bool { return within(folder, canary) }) {
		p.Deny = append(slices.Clip(p.Deny), filepath.Dir(canary)) // an allowed folder holds it
	}
	mounts, links, home, err := m.plan(p, b.rooms)
	if err != nil {
		return nil, err
	}
	b.home, b.covers = home, coversOf(p, mounts)
	first := setup{Namespaces: s.backend == namespaces, ReadOnly: !p.writes(), Canary: canary, Listen: p.Network.enabled(), ABI: s.abi}
	cmd := exec.Command(m.program, keeperArg, landlockArg)
	if first.Namespaces {
		if cmd, err = h.bwrapCommand(&first, mounts, links, dir); err != nil {
			return fail(err)
		}
		defer cmd.ExtraFiles[0].Close()
	} else {
		b.home, b.tmp, b.git, b.pids = b.rooms.home, b.rooms.tmp, b.rooms.git, true
		read, write, err := landlockRules(mounts)
		if err != nil {
			return fail(err)
		}
		first.Read, first.Write = names[name](read), names[name](write)
	}
	if p.Network.enabled() {
		if h.opts.Proxy == nil {
			return fail(errors.New("this program has no proxy, so no host can be allowed"))
		}
		if b.proxy, err = h.opts.Proxy(p.Network); err != nil {
			return nil, err
		}
	}
	if err := b.run(cmd, first); err != nil {
		return fail(err)
	}
	return b, nil
}

// bwrapCommand returns the command that starts a sandbox with bwrap. Its first extra file has the
// filter of system calls, and is to be closed.
func (h *Host) bwrapCommand(first *setup, mounts []mount, links map[string]string, dir string) (*exec.Cmd, error) {
	var err error
	if first.Mounts, err = mountedAs(mounts); err != nil {
		return nil, err
	}
	devices, err := deviceArgs(filepath.Join(dir, "dev"))
	if err != nil {
		return nil, err
	}
	program, err := first.filterFile(dir)
	if err != nil {
		return nil, err
	}
	args := append(slices.Concat(bwrapArgs(mounts, links, isFolder), devices), "--die-with-parent", "--seccomp", "4", "--", programInside, keeperArg)
	cmd := exec.Command(h.bwrap(), args...)
	cmd.ExtraFiles = []*os.File{program}
	return cmd, nil
}

// furnish makes the private folders below dir. It returns a file that no command may read.
func (b *box) furnish(dir, gitSettings string) (canary string, err error) {
	if err := os.RemoveAll(dir); err != nil { // what an earlier sandbox of the session has left
		return "", err
	}
	canary = filepath.Join(dir, "outside", "canary")
	return canary, errors.Join(
		b.rooms.make(), os.MkdirAll(filepath.Dir(canary), 0o700), os.WriteFile(b.rooms.git, []byte(gitSettings), 0o600),
		os.WriteFile(canary, []byte("nobody inside can read this\n"), 0o600))
}

// machine describes this machine.
func (h *Host) machine() (machine, error) {
	program, err := filepath.EvalSymlinks(h.opts.Program)
	if err != nil {
		return machine{}, err
	}
	home := cmp.Or(variable(h.opts.Env, "HOME"), "/nonexistent")
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	return machine{program: program, home: filepath.Clean(home), env: h.opts.Env, hide: clean(h.opts.Hide)}, nil
}

// run starts the keeper, and returns when it has confined itself.
func (b *box) run(cmd *exec.Cmd, first setup) error {
	near, far, err := socketPair()
	if err != nil {
		return err
	}
	b.ch, err = newChannel(near)
	if err != nil {
		far.Close()
		return err
	}
	complaint := &limited{}
	cmd.Env = []string{"PATH=/usr/bin:/bin"} // /proc/1/environ shows it to every command
	cmd.Dir, cmd.Stderr, cmd.ExtraFiles = "/", complaint, slices.Concat([]*os.File{far}, cmd.ExtraFiles)
	cmd.WaitDelay = time.Second // for standard error, if a process keeps it open
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go b.live(cmd, started)
	err = <-started
	far.Close()
	if err != nil {
		b.ch.conn.Close()
		<-b.ended
		return err
	}
	if err := b.handshake(first); err != nil {
		close(b.heard)
		b.close()
		return cmp.Or(complaint.err(), err)
	}
	go b.read()
	return nil
}

// live starts the keeper and waits for its end. The kernel kills the keeper when the thread
// that started it ends (Pdeathsig), so that thread stays with this goroutine.
func (b *box) live(cmd *exec.Cmd, started chan<- error) {
	defer close(b.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	b.mu.Lock()
	b.tree = proctree.NewTree(cmd.Process.Pid)
	b.mu.Unlock()
	started <- nil
	_ = cmd.Wait() // how it ended does not matter
	b.mu.Lock()
	b.reaped = true
	b.tree.KillAll()
	b.mu.Unlock()
}

// handshake sends the setup and waits for the keeper's answer, at most [probeTime].
func (b *box) handshake(first setup) error {
	_ = b.ch.conn.SetDeadline(time.Now().Add(probeTime))
	defer func() { _ = b.ch.conn.SetDeadline(time.Time{}) }()
	err := b.ch.send(first)
	if err == nil && !first.Namespaces {
		err = b.ch.send(first) // see [setup]
	}
	if err != nil {
		return fmt.Errorf("the sandbox did not start: %w", err)
	}
	var r reply
	files, err := b.ch.receive(&r)
	defer closeFiles(files)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the sandbox did not start within %v", probeTime)
	case err != nil:
		return fmt.Errorf("the sandbox did not start: %w", err)
	case r.Error != "":
		return errors.New(r.Error)
	case b.proxy != nil && len(files) == 1:
		return b.serve(files[0])
	case b.proxy != nil:
		return errors.New("the sandbox has no socket for the proxy")
	}
	return nil
}

// serve starts the proxy on a listener that was opened inside.
func (b *box) serve(listener *os.File) error {
	l, err := net.FileListener(listener)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = fault.Guard("sandbox.serve", func() error { return b.proxy.Serve(ctx, l) }) // without it, connections are refused
	})
	b.stop = func() {
		cancel()
		serving.Wait()
	}
	return nil
}

// close ends the sandbox and everything in it, and waits until that has happened, at most
// [closeTime].
func (b *box) close() {
	b.mu.Lock()
	if !b.reaped {
		if b.pids {
			b.tree.KillOffspring() // while the keeper adopts what loses its parent
		}
		b.tree.KillAll()
	}
	b.mu.Unlock()
	_ = b.ch.conn.Close()
	b.stop()
	late := time.After(closeTime)
	for _, end := range []chan struct{}{b.ended, b.heard} {
		select {
		case <-end:
		case <-late:
			return
		}
	}
}

// clear ends everything that runs in the sandbox, and reports whether the sandbox can be used further.
// Otherwise it has ended as a whole: without namespaces, a process that has made a process session of its
// own might not be found, and a command may have stopped the keeper.
func (b *box) clear() bool {
	b.clearing.Lock()
	defer b.clearing.Unlock()
	if !b.pids && !b.dead() {
		select { // an answer that came too late
		case <-b.cleared:
		default:
		}
		if b.send(request{Clear: true}) == nil {
			late := time.NewTimer(killTime + time.Second)
			defer late.Stop()
			select {
			case <-b.cleared:
				return true
			case <-b.ended:
			case <-late.C:
			}
		}
	}
	b.close()
	return false
}

// busy reports whether something runs in the sandbox that could change files of the allowed folders now.
// With shells, a program that was started from outside is an idle shell unless something runs beside it.
// What is not known counts as busy.
func (b *box) busy(shells bool) bool {
	if b.dead() {
		return false
	}
	b.mu.Lock()
	programs := len(b.programs)
	b.mu.Unlock()
	if programs > 0 && !shells || b.pids {
		return programs > 0
	}
	b.counting.Lock()
	defer b.counting.Unlock()
	select { // an answer that came too late
	case <-b.counted:
	default:
	}
	if b.send(request{Count: true}) != nil {
		return !b.dead()
	}
	late := time.NewTimer(time.Second)
	defer late.Stop()
	select {
	case n := <-b.counted:
		return n > 0
	case <-b.ended:
		return false
	case <-late.C:
		return true
	}
}

// closeTime bounds the wait for the end of a sandbox. Only a process that waits in the kernel,
// for a disk for example, takes that long.
const closeTime = 5 * time.Second

// read gives the keeper's replies to the programs that they are about.
func (b *box) read() {
	defer close(b.heard)
	for {
		var r reply
		files, err := b.ch.receive(&r)
		if err != nil {
			break
		}
		files = nonblocking(files)
		if r.Cleared {
			select {
			case b.cleared <- struct{}{}:
			default: // nobody has asked
			}
		}
		if r.Counted {
			select {
			case b.counted <- r.Others:
			default: // nobody has asked
			}
		}
		b.mu.Lock()
		p := b.programs[r.ID]
		if r.Ended || r.Error != "" {
			delete(b.programs, r.ID)
		}
		b.mu.Unlock()
		if p == nil {
			closeFiles(files)
			continue
		}
		if r.Ended && b.pids {
			proctree.NewTree(p.pid).KillAll() // the keeper cannot see /proc
		}
		p.tell(r, files)
	}
	_ = b.ch.conn.Close()
	b.mu.Lock()
	b.gone = true
	left := maps.Clone(b.programs)
	clear(b.programs)
	b.mu.Unlock()
	<-b.ended
	for _, p := range left {
		if b.pids {
			proctree.NewTree(p.pid).KillAll() // the keeper was killed, and cannot do it
		}
		p.tell(reply{Ended: true, Code: 128 + int(syscall.SIGKILL), Error: "the sandbox has ended"}, nil)
	}
}

// limited keeps the beginning of what bwrap or the keeper writes to its standard error.
type limited struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p[:min(len(p), 1024-len(l.text))]...)
	return len(p), nil
}

// err returns what was written as an error, nil if nothing was.
func (l *limited) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := strings.TrimSpace(string(bytes.ToValidUTF8(l.text, nil))); text != "" {
		return errors.New(strings.TrimPrefix(text, "bwrap: "))
	}
	return nil
}

// socketPair returns two connected sockets, which no program inherits by accident.
func socketPair() (near, far *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// nonblocking reopens files so that closing them ends a read, as a terminal's near side needs.
func nonblocking(files []*os.File) []*os.File {
	var all []*os.File
	for _, f := range files {
		if fd, err := syscall.Dup(int(f.Fd())); err == nil {
			syscall.CloseOnExec(fd)
			_ = syscall.SetNonblock(fd, true) // a blocking one only delays its end
			all = append(all, os.NewFile(uintptr(fd), "terminal"))
		}
	}
	closeFiles(files)
	return all
}

// dead reports whether the sandbox has ended.
func (b *box) dead() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}
