//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Supported reports whether this system has shells.
const Supported = true

// start starts the process of a shell for its command. mu is held.
func (s *Shells) start(sh *shell) error {
	switch sh.mode {
	case Async:
		return s.startTerminal(sh)
	case Detached:
		return s.startDetached(sh)
	}
	return s.startPersistent(sh)
}

// run starts a program in the sandbox of a policy, or outside of any if the policy is nil.
// Every process of this package but a detached one is started here. With a size in the spec,
// it also returns the near side of the program's terminal. keeper is as in [proctree.Start]: a sandbox
// has its own.
func run(keeper string, boxes *sandbox.Boxes, policy *sandbox.Policy, s sandbox.Spec) (p program, terminal *os.File, err error) {
	if policy == nil {
		return runBare(keeper, s)
	}
	if boxes == nil {
		return nil, nil, fault.New(fault.Unavailable, "shell.Run", string(policy.Mode), "this session has no sandboxes")
	}
	inside, err := boxes.Start(*policy, s)
	if err != nil {
		return nil, nil, err
	}
	return inside, inside.Terminal, nil
}

// prepare returns a program that is ready to be started in a process session of its own.
func prepare(program string, args []string, dir string, env []string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Args[0] = filepath.Base(program) // a shell's error messages begin with it
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
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

// spec describes a shell to start, which runs args after those that it needs.
func (o Options) spec(dir string, env []string, args ...string) (sandbox.Spec, error) {
	path, needed, err := o.lookShell()
	if err != nil {
		return sandbox.Spec{}, err
	}
	name := []string{filepath.Base(path)} // its error messages begin with it
	return sandbox.Spec{Path: path, Args: slices.Concat(name, needed, args), Dir: dir, Env: env}, nil
}

// unstarted is the error of a program that the system did not start. The system gives the
// same reason for a working directory that does not exist as for a program, so the directory
// is looked at.
func unstarted(op string, cmd *exec.Cmd, err error) error {
	if _, wrong := os.Stat(cmd.Dir + "/."); cmd.Dir != "" && wrong != nil {
		var path *fs.PathError
		if errors.As(wrong, &path) {
			wrong = path.Err
		}
		return unavailable(op, cmd.Dir, fmt.Errorf("the working directory %s cannot be used: %w", cmd.Dir, wrong))
	}
	return unavailable(op, cmd.Path, err)
}

func unavailable(op, on string, err error) error {
	return &fault.Error{Op: op, On: on, Kind: fault.Unavailable, Err: err}
}

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

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
