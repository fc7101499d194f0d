//go:build unix && !linux

package proctree

import "syscall"

// adoptOrphans does nothing: this system has no way to do it, and a program that
// makes a process session of its own survives.
func adoptOrphans() {}

// ownSession starts a program in a process session of its own.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// running is empty: these systems have no path of the running program itself.
const running = ""
