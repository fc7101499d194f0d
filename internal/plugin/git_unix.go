//go:build unix

package plugin

import (
	"os/exec"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// killWhole has everything that a program starts killed with it. Without that, the parts of git
// that fetch and unpack go on for as long as a server sends.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		proctree.NewTree(cmd.Process.Pid).KillAll()
		return nil
	}
}
