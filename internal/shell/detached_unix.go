//go:build unix

package shell

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// scriptDetach starts a command in the background and ends, so that the command is not a
// child of this program. $0 is the shell and $1 the command. Standard output is the file
// for its output; its exit status is written to descriptor 3.
const scriptDetach = `{ "$0" -c "$1" 3>&-; echo "$?" >&3; } 2>&1 </dev/null &`

// startDetached starts a command in a process session of its own. Only the process that
// waits for the command has the pipe for its status open, so the pipe tells when the
// command ends: with its status, or with nothing if it was killed.
func (s *Shells) startDetached(sh *shell) error {
	program, _, err := s.opts.lookShell()
	if err != nil {
		return err
	}
	file, err := s.openLog(sh.id)
	if err != nil {
		return unavailable("shell.Run", s.opts.Temp, err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return unavailable("shell.Run", sh.id, err)
	}
	defer w.Close()
	cmd := prepare(program, []string{"-c", scriptDetach, filepath.Base(program), sh.job.command}, sh.state.dir, sh.state.env)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = file, file, []*os.File{w}
	if err := cmd.Run(); err != nil {
		r.Close()
		return unstarted("shell.Run", cmd, err)
	}
	j := sh.job
	j.pid, j.file = cmd.Process.Pid, file.Name()
	j.kill = func() {
		if !j.ended() { // after its end, the group's number may be in use again
			proctree.NewTree(j.pid).KillAll()
		}
	}
	j.status = r
	s.wg.Go(func() { j.awaitStatus(r) })
	return nil
}

// openLog makes the file for a detached command's output.
func (s *Shells) openLog(id string) (*os.File, error) {
	if err := os.MkdirAll(s.opts.Temp, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.opts.Temp, "detached-"+id+"-*.log")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
}

// awaitStatus ends the job when the pipe for its status ends.
func (j *job) awaitStatus(r io.ReadCloser) {
	defer r.Close()
	var status []byte
	err := fault.Guard("shell.awaitStatus", func() error {
		status, _ = io.ReadAll(io.LimitReader(r, maxStatus)) // empty: it was killed, or Close closed r
		return nil
	})
	code, malformed := strconv.Atoi(strings.TrimSpace(string(status)))
	if malformed != nil {
		code = killed
	}
	j.end(code, err)
}

// maxStatus bounds what is read as an exit status, in bytes. It is more than a status
// needs, so that reading ends only when the writer does.
const maxStatus = 16
