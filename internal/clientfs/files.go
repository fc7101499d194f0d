package clientfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// files is the workspace of a session.
type files struct{ remote }

// Files implements [workspace.Store].
func (s *Storage) Files(session string) workspace.Files { return files{remote{s, session}} }

// check refuses names that lead out of the session's folder. The client is responsible for
// links in its storage.
func (f files) check(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !fs.ValidPath(name) || strings.ContainsAny(name, f.separators()) {
		return fmt.Errorf("%q is not a valid file name here", name)
	}
	return nil
}

// separators are the characters other than a slash that separate folders in a path.
func (f files) separators() string {
	if f.opts.Windows {
		return `\:`
	}
	return ""
}

// Read implements [workspace.Files].
func (f files) Read(ctx context.Context, name string, limit int64) ([]byte, error) {
	if err := f.check(ctx, name); err != nil {
		return nil, err
	}
	info, err := f.stat(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDirectory || !info.IsFile:
		return nil, errors.New("it is not a regular file")
	}
	text, err := f.read(ctx, name)
	if err != nil {
		return nil, err
	}
	data, err := toBytes(text)
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("it has more than %d bytes", limit)
	}
	return data, err
}

// Write implements [workspace.Files]. The new text is complete before it gets the name, so the
// old one stays if that fails.
func (f files) Write(ctx context.Context, name string, data []byte, w workspace.Durability) (created bool, err error) {
	if err := f.check(ctx, name); err != nil {
		return false, err
	}
	if err := f.parents(ctx, name); err != nil {
		return false, err
	}
	info, err := f.stat(ctx, name)
	switch {
	case err == nil && info.IsDirectory:
		return false, errors.New("it is a directory")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	created = err != nil
	if w == workspace.Derived || created {
		return created, f.write(ctx, name, toText(data))
	}
	if err := f.write(ctx, name+".tmp", toText(data)); err != nil {
		return false, err
	}
	return created, f.rename(ctx, name+".tmp", name)
}

// parents makes the folder of a file. It checks that none of its folders is a file.
func (f files) parents(ctx context.Context, name string) error {
	dir := path.Dir(name)
	switch info, err := f.stat(ctx, dir); {
	case err == nil && info.IsDirectory:
		return nil
	case err == nil:
		return fmt.Errorf("%s is a file, not a directory", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if dir != "." {
		if err := f.parents(ctx, dir); err != nil {
			return err
		}
	}
	all := true
	return f.void(ctx, "mkdir", dir, wire.StorageMkdir{SessionID: f.session, Path: f.Path(dir), Recursive: &all})
}

// Remove implements [workspace.Files].
func (f files) Remove(ctx context.Context, name string) error {
	if err := f.check(ctx, name); err != nil {
		return err
	}
	if _, err := f.stat(ctx, name); err != nil { // some clients take the removal of nothing for a success
		return err
	}
	return f.remove(ctx, name, false)
}

// List implements [workspace.Files].
func (f files) List(ctx context.Context, folder string, limit int) (list []workspace.Info, err error) {
	if err := f.check(ctx, folder); err != nil {
		return nil, err
	}
	err = f.walk(ctx, folder, "", limit, &list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// maxDepth bounds the depth of nested folders.
const maxDepth = 100

func (f files) walk(ctx context.Context, at, prefix string, limit int, list *[]workspace.Info) error {
	entries, err := f.list(ctx, at)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b wire.StorageEntry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range entries {
		if len(*list) >= limit {
			return nil
		}
		name, full := path.Join(prefix, e.Name), path.Join(at, e.Name)
		if !fs.ValidPath(e.Name) || strings.Contains(e.Name, "/") {
			continue // it would lead elsewhere
		}
		if e.Type == "directory" {
			if strings.Count(name, "/") < maxDepth {
				if err := f.walk(ctx, full, name, limit, list); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			continue
		}
		switch info, err := f.stat(ctx, full); {
		case err == nil && info.IsFile:
			*list = append(*list, workspace.Info{Name: name, Size: info.Size})
		case err != nil && !errors.Is(err, fs.ErrNotExist): // else it was removed in the meantime
			return err
		}
	}
	return nil
}
