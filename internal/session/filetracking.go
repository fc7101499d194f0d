package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A session that a client created with enableFileChangeTracking keeps what files were before
// the built-in tools changed them, so that a rewind can restore them. Changes by commands
// are not seen.

// maxSnapshot bounds a file that is kept, in bytes.
const maxSnapshot = 10 << 20

// trackedTool is a built-in tool that writes files, in a session that keeps old versions.
type trackedTool struct {
	tool.Tool
	s *Session
}

// track returns the tools of a session that keeps old versions of files.
func track(s *Session, tools []tool.Tool) []tool.Tool {
	tracked := make([]tool.Tool, len(tools))
	for i, t := range tools {
		tracked[i] = t
		if _, asks := t.(tool.Asker); asks {
			tracked[i] = trackedTool{t, s}
		}
	}
	return tracked
}

// Request implements [tool.Asker].
func (t trackedTool) Request(ctx context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return t.Tool.(tool.Asker).Request(ctx, c)
}

// Run runs the tool, and adds an event about the file if the tool has changed it.
func (t trackedTool) Run(ctx context.Context, c tool.Call) tool.Result {
	if c.Permitted == nil || c.Permitted.Kind != permit.Write || c.Permitted.Path.Real == "" {
		return t.Tool.Run(ctx, c)
	}
	disk := filesOf(t.s)
	path := c.Permitted.Path.Real
	before, keepErr := disk.keep(path)
	res := t.Tool.Run(ctx, c)
	after, err := disk.version(path)
	if err != nil || keepErr == nil && after.digest == before.digest {
		return res
	}
	capture := wire.FileCapture{Path: path, Before: before.digest, After: after.digest, Mode: uint32(before.mode), Skipped: keepErr != nil}
	if keepErr == nil {
		_, capture.LinesAdded, capture.LinesRemoved = tool.Changes("", string(before.data), string(after.data))
	}
	if capture.Seal, err = disk.seal(capture); err != nil {
		t.s.logs.Warn("a change of a file is not tracked", "path", path, "err", err)
		return res
	}
	info := &wire.SessionInfo{InfoType: wire.InfoFileCaptured, Message: "The session has kept what a file was before it was changed."}
	res.After = append(res.After, wire.WithJSON(info, wire.FieldCapture, capture))
	return res
}

// files are the files that a session's tools change.
type files struct{ s *Session }

func filesOf(s *Session) files { return files{s} }

// version is a file as it is; the digest is "" if it does not exist.
type version struct {
	digest string
	mode   fs.FileMode
	data   []byte
}

func (f files) version(path string) (v version, err error) {
	dir, err := f.folder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	defer dir.Close()
	name := filepath.Base(path)
	info, err := dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return v, nil
	case err != nil:
		return v, err
	case !info.Mode().IsRegular() || info.Size() > maxSnapshot:
		return v, fault.New(fault.Invalid, "session.history", path, "only regular files of at most %d bytes are kept", maxSnapshot)
	}
	v.mode = info.Mode().Perm()
	if v.data, err = dir.ReadFile(name); err != nil {
		return v, err
	}
	sum := sha256.Sum256(v.data)
	v.digest = hex.EncodeToString(sum[:])
	return v, nil
}

// folder opens the folder of a file. Since the file was captured, the path may lead elsewhere: a
// link in it is an error, so that nothing is read or written there. It is looked for before and
// after the folder is opened.
func (f files) folder(path string) (vfs.Rooted, error) {
	dir := filepath.Dir(path)
	moved := func() bool { return f.s.reg.opts.Resolve(path) != path }
	if moved() {
		return nil, errMoved(path)
	}
	root, err := f.s.reg.opts.FS.Root(dir)
	if err == nil && moved() {
		_ = root.Close()
		return nil, errMoved(path)
	}
	return root, err
}

func errMoved(path string) error {
	return fault.New(fault.Conflict, "session.history", path, "the path leads elsewhere now: a symbolic link is in it")
}

// keep stores a file as it is now.
func (f files) keep(path string) (version, error) {
	v, err := f.version(path)
	if err != nil || v.digest == "" {
		return v, err
	}
	return v, f.s.workspace.files.KeepSnapshot(context.Background(), v.digest, v.data)
}

// kept returns an old version of a file.
func (f files) kept(ctx context.Context, digest string) ([]byte, error) {
	data, err := f.s.workspace.files.Snapshot(ctx, digest)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, fault.New(fault.Invalid, "session.history", digest, "the kept version of the file was changed")
	}
	return data, nil
}

// seal is what shows that this session has made a capture, on this machine: a log grants
// nothing, so a capture without it restores nothing.
func (f files) seal(c wire.FileCapture) (string, error) {
	return f.s.reg.grants.Seal("file capture", f.s.id, c.Path, c.Before, c.After, fs.FileMode(c.Mode).String())
}

// ours reports whether this session has made a capture.
func (f files) ours(c wire.FileCapture) bool {
	seal, err := f.seal(c)
	return err == nil && seal == c.Seal
}
