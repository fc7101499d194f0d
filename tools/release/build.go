package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// source is a clone of the repository at the commit of the release.
type source struct {
	dir  string
	when time.Time // of the commit: every file of an archive has it
}

func (s source) remove() { _ = os.RemoveAll(s.dir) } // in the system's folder for such files

// checkout clones the repository at root and gives the commit its version as a tag.
func checkout(ctx context.Context, root, commit, version string) (source, error) {
	id, err := output(ctx, root, nil, "git", "rev-parse", "--verify", commit+"^{commit}")
	if err != nil {
		return source{}, err
	}
	tagged, err := output(ctx, root, nil, "git", "for-each-ref", "--format=%(objectname) %(*objectname)", "refs/tags/"+version)
	if err != nil {
		return source{}, err
	}
	if tagged != "" && !strings.Contains(tagged, id) {
		return source{}, fmt.Errorf("the tag %s exists and does not name the commit %s; build that tag with -commit %s, or choose another version", version, id, version)
	}
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return source{}, err
	}
	s := source{dir: dir}
	if s.when, err = s.clone(ctx, root, id, version); err != nil {
		s.remove()
	}
	return s, err
}

func (s source) clone(ctx context.Context, root, id, version string) (time.Time, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return time.Time{}, err
	}
	top, err := output(ctx, root, nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return time.Time{}, err
	}
	for _, args := range [][]string{
		{"clone", "--quiet", "--no-tags", "--no-checkout", top, s.dir},
		{"-C", s.dir, "checkout", "--quiet", "--detach", id},
		{"-C", s.dir, "-c", "tag.gpgSign=false", "tag", version},
	} {
		if _, err := output(ctx, root, nil, "git", args...); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := output(ctx, s.dir, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC(), err
}

// build compiles the program for a platform. It sets every variable of the
// environment that could change the bytes.
func (s source) build(ctx context.Context, goos, goarch, to string) error {
	env := []string{
		"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off",
	}
	_, err := output(ctx, s.dir, env, "go", "build", "-trimpath", "-buildvcs=true", "-o", to, "./cmd/sidestick")
	return err
}

// output runs a program in a folder and returns what it printed, without the last
// line end. The error holds what it printed to stderr.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
