//go:build unix

package shell

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxEnv bounds the environment in a report, in bytes. A larger one is not passed on; no
// program could be started with it.
const maxEnv = 1 << 20

// maxReport bounds a report, in bytes. It is longer only if a command has found a way to write
// one itself: the commands in a sandbox are not trusted to leave the shell's descriptors alone.
const maxReport = 4 * maxEnv

// readField reads up to and with the next NUL byte.
func readField(r *bufio.Reader, limit int) (field []byte, err error) {
	for {
		part, err := r.ReadSlice(0)
		field = append(field, part...)
		switch {
		case len(field) > limit:
			return nil, bufio.ErrTooLong
		case err != bufio.ErrBufferFull:
			return field, err
		}
	}
}

// readReport reads one report: the exit status, the directory and the variables of the
// environment, each ended by a NUL byte, and one more NUL byte.
func readReport(r *bufio.Reader) (code int, st state, err error) {
	total := 0
	field := func() string {
		if err != nil {
			return ""
		}
		var b []byte
		b, err = readField(r, maxReport-total)
		total += len(b)
		return string(bytes.TrimSuffix(b, []byte{0}))
	}
	code, _ = strconv.Atoi(field()) // always a number: printf wrote $?
	st.dir = field()
	size := 0
	for v := field(); v != "" && err == nil; v = field() {
		if size += len(v); size <= maxEnv && !strings.HasPrefix(v, "_=") {
			st.env = append(st.env, v)
		}
	}
	if size > maxEnv {
		st.env = nil
	}
	return code, st, err
}

// saveState keeps the directory and environment in which a command has left its shell.
func (s *Shells) saveState(sh *shell, p *process, st state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.proc != p {
		return
	}
	if st.dir != "" {
		sh.state.dir = st.dir
	}
	if len(st.env) > 0 {
		sh.state.env = st.env
	}
}

// exited notes that the process of a shell has ended. The next one starts with the state
// that its trap on EXIT has written, if any.
func (s *Shells) exited(sh *shell, p *process) {
	if text, err := readExit(p.exitFile); err == nil {
		_ = os.Remove(p.exitFile) // the file is small if it stays
		if _, st, err := readReport(bufio.NewReader(io.MultiReader(bytes.NewReader(text), strings.NewReader("\x00")))); err == nil {
			s.saveState(sh, p, st)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.proc == p {
		sh.proc = nil
	}
}

// readExit reads the file that a shell has left. Commands in a sandbox can write to its folder,
// so it may be a link or a pipe, which is not followed or waited for, or be very long.
func readExit(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.ErrUnsupported)
	}
	return io.ReadAll(io.LimitReader(f, maxReport))
}
