//go:build unix

package mcp

import (
	"os/exec"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// startProgram starts a program with a keeper, which is this program, or without one if keeper
// is empty.
func startProgram(keeper string, s sandbox.Spec) (program, error) {
	p, err := proctree.Start(keeper, &exec.Cmd{Path: s.Path, Args: s.Args, Dir: s.Dir, Env: s.Env, Stdin: s.Files[0], Stdout: s.Files[1], Stderr: s.Files[2]})
	if err != nil {
		return nil, unavailable("the program %s cannot be started: %w", s.Path, err)
	}
	return p, nil
}
