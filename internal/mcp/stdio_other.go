//go:build !unix

package mcp

import (
	"os/exec"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// bare is a program without a keeper: what it has started may survive it.
type bare struct{ cmd *exec.Cmd }

func startProgram(_ string, s sandbox.Spec) (program, error) {
	cmd := &exec.Cmd{Path: s.Path, Args: s.Args, Dir: s.Dir, Env: s.Env, Stdin: s.Files[0], Stdout: s.Files[1], Stderr: s.Files[2]}
	if err := cmd.Start(); err != nil {
		return nil, unavailable("the program %s cannot be started: %w", s.Path, err)
	}
	return bare{cmd}, nil
}

// Wait implements [program].
func (b bare) Wait() int {
	_ = b.cmd.Wait() // how it ended is in ProcessState
	return b.cmd.ProcessState.ExitCode()
}

// Kill implements [program].
func (b bare) Kill() { _ = b.cmd.Process.Kill() }
