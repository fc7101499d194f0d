//go:build unix

package shell

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The script of a persistent shell. Descriptor 8 is its output, 9 takes reports;
// both are out of reach for what an eval runs. A report is the exit status, the
// directory and the variables of the environment, each ended by a NUL, and one NUL
// more. Options of set are undone, because they would act on the script too.
const (
	scriptBegin = `exec 8>&1 9>&3 3>&-; trap '{ umask 077; command printf "%s\0%s\0" "$?" "${PWD-}"; ` +
		`/usr/bin/env -0; } 2>/dev/null >|'FILE EXIT` + "\n"
	scriptEval   = `command eval TEXT </dev/null >&8 2>&8 8>&- 9>&-; `
	scriptReport = `{ command printf '%s\0%s\0' "$?" "${PWD-}" >&9; set +euxvfCaOPTIONS; ` +
		`/usr/bin/env -0 >&9; command printf '\0' >&9; } 2>/dev/null` + "\n"
	bashOptions = "; set +o pipefail +o posix"
)

// startLine starts the persistent bash of a shell, or sh where there is none.
func (s *Shells) startLine(sh *shell) error {
	program, args, err := s.opts.lookShell()
	if err != nil {
		return err
	}
	pipes, err := openPipes(3)
	if err == nil {
		err = os.MkdirAll(s.opts.Temp, 0o700)
	}
	if err != nil {
		return unavailable("shell.Run", sh.id, err)
	}
	in, out, reports := pipes[0], pipes[1], pipes[2]
	cmd := exec.Command(program, args...)
	cmd.Args[0] = filepath.Base(program) // its messages begin with it
	cmd.Dir, cmd.Env = sh.state.dir, sh.state.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.r, out.w, out.w
	cmd.ExtraFiles = []*os.File{reports.w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	in.r.Close()
	out.w.Close()
	reports.w.Close()
	if err != nil {
		in.w.Close()
		out.r.Close()
		reports.r.Close()
		return unavailable("shell.Run", program, err)
	}
	p := newProcess(cmd, out.r, in.w)
	p.bash = len(args) > 0
	p.exit = filepath.Join(s.opts.Temp, "exit-"+strconv.Itoa(cmd.Process.Pid))
	sh.proc, sh.job.kill = p, p.kill
	p.follow(sh.job)
	s.watchLine(sh, p, reports.r)
	return nil
}

// watchLine starts what belongs to a persistent shell: reading its output, its
// reports, and waiting for its end.
func (s *Shells) watchLine(sh *shell, p *process, reports *os.File) {
	s.wg.Go(p.read)
	told := make(chan struct{})
	s.wg.Go(func() {
		defer close(told)
		r := bufio.NewReader(reports)
		for {
			code, st, err := readReport(r)
			if err != nil {
				return
			}
			j := p.current()
			p.catchUp()
			s.ended(sh, p, st)
			j.finish(code)
		}
	})
	s.wg.Go(func() {
		code := p.reap()
		<-told // its writers are dead
		reports.Close()
		p.catchUp()
		s.left(sh, p)
		p.current().finish(code)
		p.close()
	})
}

// ended takes over where a command has left a shell.
func (s *Shells) ended(sh *shell, p *process, st state) {
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

// left is called when the process of a shell is gone. What it wrote down on its
// way out is where the next one begins.
func (s *Shells) left(sh *shell, p *process) {
	if text, err := os.ReadFile(p.exit); err == nil {
		_ = os.Remove(p.exit) // one that stays is small
		if _, st, err := readReport(bufio.NewReader(io.MultiReader(bytes.NewReader(text), strings.NewReader("\x00")))); err == nil {
			s.ended(sh, p, st)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.proc == p {
		sh.proc = nil
	}
}

// maxEnv bounds the environment of a report, in bytes. A larger one is not taken
// over; no program could be started with it.
const maxEnv = 1 << 20

// readReport reads one report.
func readReport(r *bufio.Reader) (code int, st state, err error) {
	field := func() string {
		if err != nil {
			return ""
		}
		var b []byte
		b, err = r.ReadBytes(0)
		return string(bytes.TrimSuffix(b, []byte{0}))
	}
	code, _ = strconv.Atoi(field()) // a number, written by printf of $?
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

// feed gives a command to a persistent shell, which goes to a directory first if from
// is not empty. One that is gone does not take it:
// the command ends with the shell's status.
func (p *process) feed(text, from string) {
	var script strings.Builder
	if !p.begun {
		p.begun = true
		// Quoted once for the trap and once for the shell that runs it.
		script.WriteString(strings.Replace(scriptBegin, "FILE", quote(quote(p.exit)), 1))
	}
	if from != "" {
		script.WriteString("command cd -- " + quote(from) + " >&8 2>&8\n")
	}
	options := ""
	if p.bash {
		options = bashOptions
	}
	script.WriteString(strings.Replace(scriptEval, "TEXT", quote(text), 1))
	script.WriteString(strings.Replace(scriptReport, "OPTIONS", options, 1))
	_, _ = io.WriteString(p.in, script.String())
}

// quote makes one word of a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

type pipe struct{ r, w *os.File }

// openPipes opens n pipes or none.
func openPipes(n int) ([]pipe, error) {
	var pipes []pipe
	for range n {
		r, w, err := os.Pipe()
		if err != nil {
			for _, p := range pipes {
				p.r.Close()
				p.w.Close()
			}
			return nil, err
		}
		pipes = append(pipes, pipe{r, w})
	}
	return pipes, nil
}

// lookShell finds the shell and the arguments that it needs.
func (o Options) lookShell() (program string, args []string, err error) {
	names := []string{o.Program}
	if o.Program == "" {
		names = []string{"bash", "/bin/bash", "sh"}
	}
	for _, name := range names {
		if program, err = exec.LookPath(name); err == nil {
			if filepath.Base(program) == "bash" {
				args = []string{"--norc", "--noprofile"}
			}
			return program, args, nil
		}
	}
	return "", nil, unavailable("shell.Run", names[0], err)
}

func unavailable(op, on string, err error) error {
	return &fault.Error{Op: op, On: on, Kind: fault.Unavailable, Err: err}
}
