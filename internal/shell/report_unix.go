//go:build unix

package shell

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// reportTime bounds the time from the first byte of a report to its last. Only the environment takes long, if
// the command has left no room for another process (ulimit -u): bash tries for 15 s.
const reportTime = 3 * time.Second

// errMalformed is the error of what is not a report: a command has taken the shell's means of
// writing one, or has written to the pipe itself.
var errMalformed = errors.New("malformed")

// hear reads the reports of a persistent shell until it ends. Each ends a command. It reports whether
// the exit status of the shell is that of its last command.
func (s *Shells) hear(sh *shell, p *process, reports *os.File) (known bool) {
	for r := bufio.NewReader(reports); ; {
		if _, err := r.Peek(1); err != nil {
			return true // it has ended, or another program has its place
		}
		_ = reports.SetReadDeadline(time.Now().Add(reportTime)) // a pipe has deadlines
		code, st, err := readReport(r)
		_ = reports.SetReadDeadline(time.Time{})
		j := p.current()
		switch late := errors.Is(err, os.ErrDeadlineExceeded); {
		case err == nil || late && st.dir != "":
			p.catchUp()
			s.saveState(sh, p, st)
			if late {
				s.giveUp(sh, p)
			}
			j.finish(code)
			if late {
				p.Kill()
				return true
			}
		case errors.Is(err, errMalformed) && p.abandon(j, "; its exit status is not known"):
			_, _ = io.Copy(io.Discard, r) // otherwise the shell might wait for a reader
			return false
		case late, errors.Is(err, errMalformed), errors.Is(err, bufio.ErrTooLong):
			p.Kill() // a command writes into the reports
			return true
		default:
			return true // it has ended meanwhile
		}
	}
}

// giveUp makes the next command get another process.
func (s *Shells) giveUp(sh *shell, p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.proc == p {
		sh.proc = nil
	}
}

// abandon makes a shell end when it reads its next line, because it cannot report the end of its command. The
// output says so, with more about it. It returns false if the command has ended.
func (p *process) abandon(j *job, more string) bool {
	p.writing.Lock()
	defer p.writing.Unlock()
	if j.ended() {
		return false
	}
	j.out.note("[the command has left its shell unusable" + more + "; the next command gets a new one]\n")
	_ = p.in.Close() // a second close does no harm
	return true
}

// readReport reads one report: the exit status, the directory and the variables of the
// environment, each ended by a NUL byte, and one more NUL byte. With an error it returns what it has read.
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
	code, wrong := strconv.Atoi(field())
	dir := field()
	switch {
	case err != nil:
		return 0, st, err
	case wrong != nil || dir != "" && !filepath.IsAbs(dir):
		return 0, st, errMalformed
	}
	st.dir = dir
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
