//go:build unix

package shell

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// scriptDetach starts a command that nobody waits for, with its output in the file
// that is standard output, and tells descriptor 3 its exit status. What starts it
// ends at once, so the command is no child of this program.
const scriptDetach = `{ "$0" -c "$1" 3>&-; echo "$?" >&3; } 2>&1 </dev/null &`

// startDetached starts a command in a session of its own. Its end is known by the
// pipe that only its keeper has open: a status, or nothing if it was killed.
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
	cmd := exec.Command(program, "-c", scriptDetach, filepath.Base(program), sh.job.text)
	cmd.Dir, cmd.Env = sh.state.dir, sh.state.env
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = file, file, []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		r.Close()
		return unavailable("shell.Run", program, err)
	}
	j := sh.job
	j.pid, j.file = cmd.Process.Pid, file.Name()
	j.kill = func() {
		if !j.ended() { // or its group may be another's by now
			newPrey(j.pid).sweep()
		}
	}
	j.keeper = r
	s.wg.Go(func() { j.await(r) })
	return nil
}

// openLog makes the file of a detached command's output.
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

// await ends the job when its keeper is gone.
func (j *job) await(r *os.File) {
	defer r.Close()
	status, _ := io.ReadAll(io.LimitReader(r, maxStatus)) // nothing: it was killed, or Close let go of it
	code, err := strconv.Atoi(strings.TrimSpace(string(status)))
	if err != nil {
		code = 128 + int(syscall.SIGKILL)
	}
	j.finish(code)
}

// maxStatus is longer than an exit status is, in bytes, so that reading one is also
// to wait for the end of who wrote it.
const maxStatus = 16
