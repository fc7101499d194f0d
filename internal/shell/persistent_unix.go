//go:build unix

package shell

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The script of a persistent shell. Descriptor 8 is its output and 9 takes the reports;
// no eval can reach either. Options of set are undone after each command, because they
// would affect the script as well. For the format of a report see [readReport].
const (
	scriptBegin = `exec 8>&1 9>&3 3>&-; trap '{ umask 077; command printf "%s\0%s\0" "$?" "${PWD-}"; ` +
		`/usr/bin/env -0; } 2>/dev/null >|'FILE EXIT` + "\n"
	scriptEval   = `command eval TEXT </dev/null >&8 2>&8 8>&- 9>&-; `
	scriptReport = `{ command printf '%s\0%s\0' "$?" "${PWD-}" >&9; set +euxvfCaOPTIONS; ` +
		`/usr/bin/env -0 >&9; command printf '\0' >&9; } 2>/dev/null` + "\n"
	bashOptions = "; set +o pipefail +o posix"
)

// startPersistent starts the persistent bash of a shell, or sh where there is no bash.
func (s *Shells) startPersistent(sh *shell) error {
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
	cmd := prepare(program, args, sh.state.dir, sh.state.env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.r, out.w, out.w
	cmd.ExtraFiles = []*os.File{reports.w}
	err = cmd.Start()
	closeAll(in.r, out.w, reports.w)
	if err != nil {
		closeAll(in.w, out.r, reports.r)
		return unstarted("shell.Run", cmd, err)
	}
	p := newProcess(cmd, out.r, in.w)
	p.bash = len(args) > 0
	p.exitFile = filepath.Join(s.opts.Temp, "exit-"+strconv.Itoa(cmd.Process.Pid))
	sh.proc, sh.job.kill = p, p.kill
	p.follow(sh.job)
	s.watchPersistent(sh, p, reports.r)
	return nil
}

// watchPersistent starts the goroutines of a persistent shell: one reads its output, one
// its reports, and one waits for its end.
func (s *Shells) watchPersistent(sh *shell, p *process, reports *os.File) {
	s.watch(sh, p, p.read)
	reported := make(chan struct{})
	s.watch(sh, p, func() {
		defer close(reported)
		r := bufio.NewReader(reports)
		for {
			code, st, err := readReport(r)
			if err != nil {
				return
			}
			j := p.current()
			p.catchUp()
			s.saveState(sh, p, st)
			j.finish(code)
		}
	})
	s.watch(sh, p, func() {
		defer p.close()
		code := p.reap()
		<-reported // reap has killed everything that could still write a report
		reports.Close()
		p.catchUp()
		s.exited(sh, p)
		p.current().finish(code)
	})
}

// send gives a command to a persistent shell, which first changes to the directory chdir
// unless that is empty. If the shell has ended, the command ends with the shell's status.
func (p *process) send(text, chdir string) {
	var script strings.Builder
	if !p.begun {
		p.begun = true
		// Quoted once for the trap and once for the shell that runs the trap.
		script.WriteString(strings.Replace(scriptBegin, "FILE", quote(quote(p.exitFile)), 1))
	}
	if chdir != "" {
		script.WriteString("command cd -- " + quote(chdir) + " >&8 2>&8\n")
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
