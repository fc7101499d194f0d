//go:build unix

package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// The script of a persistent shell. Descriptor 8 is its output and 9 takes the reports, and a
// command does not inherit them. A command that looks for them in /proc can write a report of
// its own: it says where the command ended, and with which status, and is no authority.
//
// The report is on a line of its own, because some errors, such as that of $((a[/])), make bash give
// up the whole line. Options of set are undone after each command, because they would affect the
// script as well. A backslash keeps a name from being an alias. For the format of a report see [readReport].
const (
	scriptBegin = `exec 8>&1 9>&3 3>&-QUIET; trap '{ umask 077; \command printf "%s\0%s\0" "$?" "${PWD-}"; ` +
		`/usr/bin/env -0; } 2>/dev/null >|'FILE EXIT` + "\n"
	scriptEval   = `\command eval TEXT </dev/null >&8 2>&8 8>&- 9>&-` + "\n"
	scriptReport = `\command printf '%s\0%s\0' "$?" "${PWD-}" >&9; set +euxvfCaOPTIONS; ` +
		`/usr/bin/env -0 >&9; \command printf '\0' >&9`
	bashOptions = "; set +o pipefail +o posix"
	// After set -v, bash would show the line of the report as soon as it has read it. What bash itself
	// writes between commands is lost with that. Other shells have such a line in their buffers already.
	bashQuiet = " 2>/dev/null"
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
	s.attend(sh)
	return nil
}

// attend watches the shell while it runs its new command. mu is held.
func (s *Shells) attend(sh *shell) {
	p, j := sh.proc, sh.job
	s.watch(sh, p, func() { p.attend(j) })
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
	reported, known := make(chan struct{}), true
	s.watch(sh, p, func() {
		defer close(reported)
		known = s.hear(sh, p, reports)
	})
	s.watch(sh, p, func() {
		defer p.close()
		code := p.Wait()
		<-reported // Wait has killed everything that could still write a report
		reports.Close()
		p.catchUp()
		s.exited(sh, p)
		if !known {
			code = max(code, 1) // nobody should take it for a success
		}
		p.current().finish(code)
	})
}

// send gives a command to a persistent shell, which first changes to the directory chdir
// unless that is empty. If the shell has ended, the command ends with the shell's status.
func (p *process) send(text, chdir string) {
	quiet, report := "", "{ "+strings.Replace(scriptReport, "OPTIONS", "", 1)+"; } 2>/dev/null\n"
	if p.bash { // to which { is no word of the syntax after a command that ends with a backslash
		quiet, report = bashQuiet, strings.Replace(scriptReport, "OPTIONS", bashOptions, 1)+"\n"
	}
	var script strings.Builder
	if !p.begun {
		p.begun = true
		if kept, ok := p.program.(*proctree.Kept); ok {
			kept.AwaitStart() // the command may kill the keeper
		}
		// Quoted once for the trap and once for the shell that runs the trap.
		script.WriteString(strings.NewReplacer("QUIET", quiet, "FILE", quote(quote(p.exitFile))).Replace(scriptBegin))
	}
	if chdir != "" {
		script.WriteString(`\command cd -- ` + quote(chdir) + " >&8 2>&8\n")
	}
	script.WriteString(strings.Replace(scriptEval, "TEXT", quote(text), 1) + report)
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = io.WriteString(p.in, script.String())
}

// quote makes one word of a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
