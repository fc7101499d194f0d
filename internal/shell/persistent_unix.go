//go:build unix

package shell

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The script of a persistent shell. Descriptor 8 is its output and 9 takes the reports, and a
// command does not inherit them. A command that looks for them in /proc can write a report of
// its own: it says where the command ended, and with which status, and is no authority. Options of set are undone after each command, because they
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
	spec, err := s.opts.spec(sh.state.dir, sh.state.env)
	if err != nil {
		return err
	}
	pipes, err := openPipes(3)
	if err != nil {
		return unavailable("shell.Run", sh.id, err)
	}
	in, out, reports := pipes[0], pipes[1], pipes[2]
	spec.Files = []*os.File{in.r, out.w, out.w, reports.w}
	exitFile, err := s.exitFile(sh)
	var started program
	if err == nil {
		started, _, err = run(s.opts.Keeper, s.opts.Sandbox, sh.policy, spec)
	}
	closeAll(in.r, out.w, reports.w)
	if err != nil {
		closeAll(in.w, out.r, reports.r)
		return err
	}
	p := newProcess(started, out.r, in.w)
	p.bash = len(spec.Args) > 1
	p.exitFile = exitFile
	sh.proc, sh.job.kill = p, p.Kill
	p.follow(sh.job)
	s.watchPersistent(sh, p, reports.r)
	return nil
}

// exitFile returns a new name for the file in which a shell leaves its state when it ends.
func (s *Shells) exitFile(sh *shell) (string, error) {
	folder := s.opts.Temp
	if sh.policy != nil && s.opts.Sandbox != nil {
		own, err := s.opts.Sandbox.Own(*sh.policy)
		if err != nil {
			return "", err
		}
		folder = own
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", unavailable("shell.Run", folder, err)
	}
	s.exits++
	return filepath.Join(folder, fmt.Sprintf("exit-%d-%d", os.Getpid(), s.exits)), nil
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
			if errors.Is(err, bufio.ErrTooLong) {
				p.Kill() // a command writes into the reports
			}
			if err != nil {
				return // it has ended, or another program has its place
			}
			j := p.current()
			p.catchUp()
			s.saveState(sh, p, st)
			j.finish(code)
		}
	})
	s.watch(sh, p, func() {
		defer p.close()
		code := p.Wait()
		<-reported // Wait has killed everything that could still write a report
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
