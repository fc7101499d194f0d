package chat

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// target is the file of --output-last-message.
type target struct {
	disk  vfs.FS
	given string // as the user has named it
	path  string // absolute, and where a link leads
	mode  fs.FileMode
}

// newTarget finds out, before a model is called, whether the file can be written; nil for "".
func newTarget(disk vfs.FS, given string) (*target, error) {
	if given == "" {
		return nil, nil
	}
	t := &target{disk: disk, given: given, path: cli.Absolute(given), mode: 0o600}
	if throughDescriptor(t.path) {
		return nil, cli.NewUsageError(fmt.Errorf("--output-last-message: %s cannot be written: %s; run prints the answer on the standard output anyway", given, permit.KernelFolder))
	}
	if real, err := tree.Resolve(t.path); err == nil {
		t.path = real
	}
	if err := t.writable(); err != nil {
		return nil, cli.NewUsageError(fmt.Errorf("-o (--output-last-message): %s cannot be written: %w", given, cli.Reason(err)))
	}
	return t, nil
}

// mostLinks bounds the links that are followed to a file, as the system does.
const mostLinks = 40

// throughDescriptor reports whether a path leads to its file through /dev or /proc, as /dev/stdout does: the file is one
// that some program has open, and replacing it would lose what that program writes.
func throughDescriptor(path string) bool {
	for range mostLinks {
		if folder, err := tree.Resolve(filepath.Dir(path)); err == nil {
			path = filepath.Join(folder, filepath.Base(path))
		}
		if permit.OfKernel(path) {
			return true
		}
		to, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = filepath.Clean(to)
	}
	return false
}

// writable returns why the file cannot be replaced.
func (t *target) writable() error {
	info, err := t.disk.Stat(t.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case err == nil:
		t.mode = info.Mode().Perm()
		f, err := t.disk.OpenFile(t.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	probe := filepath.Join(filepath.Dir(t.path), ".sidestick-"+rand.Text()) // the file is replaced by one beside it
	f, err := t.disk.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), t.disk.Remove(probe))
}

// write replaces the file by an answer.
func (t *target) write(answer string) error {
	if answer[len(answer)-1] != '\n' {
		answer += "\n"
	}
	if err := vfs.WriteFileAtomic(t.disk, t.path, []byte(answer), t.mode); err != nil {
		return fmt.Errorf("the answer could not be written to %s: %w", t.given, cli.Reason(err))
	}
	return nil
}

// keepAnswer writes the answer of a run that has ended with err into the file of --output-last-message. If the
// run did not end well, the file stays as it is, and a warning says so.
func (r *runner) keepAnswer(t *conversation, err error) error {
	if r.target == nil {
		return err
	}
	answer := t.reply.String()
	if r.form != nil {
		answer = string(r.result.Structured)
	}
	var denied cli.DeniedError
	if answer == "" || err != nil && !errors.As(err, &denied) {
		return errors.Join(err, r.warn(r.target.given+" was not written, because the run did not end well"))
	}
	return errors.Join(err, r.target.write(answer))
}
