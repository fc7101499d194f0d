package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
)

// proxyPort is the port of the proxy inside a sandbox with its own network.
const proxyPort = 3128

// confine applies the setup to this process, and then tries to get out. An error means that
// the process is not confined, and must run nothing.
func (s setup) confine() (listener []*os.File, err error) {
	if s.Namespaces {
		if err := checkMounts(s.Mounts); err != nil {
			return nil, err
		}
	}
	if s.Listen {
		l, err := listen()
		if err != nil {
			return nil, fmt.Errorf("listening for the proxy: %w", err)
		}
		listener = append(listener, l)
	}
	// Commands in the sandbox run as the same user, and must not read or change this process.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, err
	}
	if !s.Namespaces { // where the kernel does not end everything with the keeper
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, err
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return nil, err
	}
	if !s.Namespaces { // otherwise bwrap has installed it, before this process began
		program, err := s.filter()
		if err != nil {
			return nil, err
		}
		if err := filter.Install(program); err != nil {
			return nil, err
		}
	}
	return listener, s.escape()
}

// filter returns the filter of system calls.
func (s setup) filter() ([]bpf.RawInstruction, error) {
	return filter.Program(filter.Options{ReadOnly: s.ReadOnly, Namespaces: s.Namespaces, LandlockABI: s.ABI})
}

// filterFile writes the filter to a file in dir, as bwrap reads it. bwrap installs it for its
// own process inside as well, whose memory commands could write to.
func (s setup) filterFile(dir string) (*os.File, error) {
	program, err := s.filter()
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, i := range program { // struct sock_filter
		text = binary.NativeEndian.AppendUint16(text, i.Op)
		text = append(text, i.Jt, i.Jf)
		text = binary.NativeEndian.AppendUint32(text, i.K)
	}
	name := filepath.Join(dir, "filter")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// devices are what every program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// escape tries what a sandbox must refuse. A sandbox that only seems to work, because the
// kernel ignored a part of it, is found here.
func (s setup) escape() error {
	var escaped []error
	if _, err := os.ReadFile(s.Canary); err == nil {
		escaped = append(escaped, errors.New("a file outside the sandbox could be read"))
	}
	if f, err := os.Create(filepath.Join(filepath.Dir(s.Canary), "written")); err == nil {
		f.Close()
		escaped = append(escaped, errors.New("a file outside the sandbox could be written"))
	}
	if fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); err != unix.EPERM {
		_ = unix.Close(fd)
		escaped = append(escaped, errors.New("the system call filter lets calls pass"))
	}
	if s.Namespaces {
		escaped = append(escaped, loopback())
	}
	return errors.Join(escaped...)
}

// loopback checks that programs in the sandbox can reach each other.
func loopback() error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the loopback address does not work: %w", err)
	}
	defer l.Close()
	conn, err := net.DialTimeout("tcp4", l.Addr().String(), time.Second)
	if err != nil {
		return fmt.Errorf("the loopback address does not work: %w", err)
	}
	return conn.Close()
}
