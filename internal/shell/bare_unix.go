//go:build unix

package shell

import (
	"os"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// runBare starts a program outside of any sandbox. keeper is as in [proctree.Start].
func runBare(keeper string, s sandbox.Spec) (p program, terminal *os.File, err error) {
	cmd := prepare(s.Path, s.Args[1:], s.Dir, s.Env)
	if s.Rows > 0 {
		near, far, err := openTerminal(s.Rows, s.Cols)
		if err != nil {
			return nil, nil, unavailable("shell.Run", s.Path, err)
		}
		defer far.Close()
		terminal, s.Files = near, []*os.File{far, far, far}
		cmd.SysProcAttr.Setctty = true
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = s.Files[0], s.Files[1], s.Files[2], s.Files[3:]
	started, err := proctree.Start(keeper, cmd)
	if err != nil {
		if terminal != nil {
			terminal.Close()
		}
		return nil, nil, unstarted("shell.Run", cmd, err)
	}
	return started, terminal, nil
}
