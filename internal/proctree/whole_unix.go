//go:build unix

package proctree

import (
	"os/exec"
	"syscall"
)

// KillWhole has everything that a program starts killed with it when the context of cmd ends. What
// a program leaves behind when it ends by itself goes on. Call it before the program is started.
func KillWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		NewTree(cmd.Process.Pid).KillAll()
		return nil
	}
}
