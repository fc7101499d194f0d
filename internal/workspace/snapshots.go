package workspace

import (
	"context"
	"path"
)

// snapshotsFolder holds old versions of files that the session has changed, each named by
// the digest of its content.
const snapshotsFolder = "snapshots"

// maxSnapshot bounds one old version, in bytes.
const maxSnapshot = 10 << 20

// KeepSnapshot stores an old version of a file under the digest of its content, in hexadecimal.
func (w *Workspace) KeepSnapshot(ctx context.Context, digest string, data []byte) error {
	_, err := w.files.Write(ctx, path.Join(snapshotsFolder, digest), data, Durable)
	return w.fail("session.history", "the old version of a file", err)
}

// Snapshot returns an old version of a file. [fault.NotFound] if there is none of that digest.
func (w *Workspace) Snapshot(ctx context.Context, digest string) ([]byte, error) {
	data, err := w.files.Read(ctx, path.Join(snapshotsFolder, digest), maxSnapshot)
	return data, w.fail("session.history", "the old version of a file", err)
}

// DropSnapshot removes an old version of a file.
func (w *Workspace) DropSnapshot(ctx context.Context, digest string) error {
	return w.fail("session.history", "the old version of a file", w.files.Remove(ctx, path.Join(snapshotsFolder, digest)))
}
