//go:build unix

package shell

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxEnv bounds the environment in a report, in bytes. A larger one is not passed on; no
// program could be started with it.
const maxEnv = 1 << 20

// readReport reads one report: the exit status, the directory and the variables of the
// environment, each ended by a NUL byte, and one more NUL byte.
func readReport(r *bufio.Reader) (code int, st state, err error) {
	field := func() string {
		if err != nil {
			return ""
		}
		var b []byte
		b, err = r.ReadBytes(0)
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
	if text, err := os.ReadFile(p.exitFile); err == nil {
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
