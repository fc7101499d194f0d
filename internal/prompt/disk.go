package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Disk reads files for this package. It never writes.
type Disk struct {
	FS vfs.FS
	// Resolve returns a path with all symbolic links resolved. On the operating system it is
	// [filepath.EvalSymlinks]; nil for file systems without links.
	Resolve func(path string) (string, error)
}

// Reasons for not reading a file, in words for the user.
var (
	errNotFile  = errors.New("not a regular file")
	errBinary   = errors.New("not a text file")
	errOutside  = errors.New("a link that leads out of the folder it was found in")
	errNotReady = errors.New("there is no file system")
	errTooLarge = errors.New("it has more than 1 MiB, so it cannot be known whether you have agreed to it")
)

// contents is the text read from a file.
type contents struct {
	text string // UTF-8, without a byte order mark
	size int64  // of the file, in bytes
	cut  bool   // text is only the beginning
}

// readText returns the beginning of a text file, at most limit bytes. Unless within is
// empty, the file must be in that folder after links are resolved.
func (d Disk) readText(name, within string, limit int64) (contents, error) {
	c, _, err := d.readCounted(name, within, limit, nil)
	return c, err
}

// maxCounted bounds a file whose content the user agrees to, in bytes: all of it has to be read.
const maxCounted = projectfiles.MaxFile

// readCounted is readText for a file with a power. refused is why the content that is returned has none, by
// counts; nil if it has, or if counts is nil.
func (d Disk) readCounted(name, within string, limit int64, counts projectfiles.Counts) (c contents, refused, err error) {
	info, err := d.stat(name) // first, because most files do not exist and resolving links costs more
	if err != nil {
		return contents{}, nil, err
	}
	if err := d.confine(name, within); err != nil {
		return contents{}, nil, err
	}
	most := limit
	if counts != nil {
		most = max(limit, maxCounted+1)
	}
	raw, size, err := d.readHead(name, info, most)
	switch {
	case err != nil:
		return contents{}, nil, err
	case counts != nil && len(raw) > maxCounted:
		refused = errTooLarge
	case counts != nil:
		refused = counts(name, projectfiles.Digest(raw))
	}
	c, err = textOf(raw[:min(int64(len(raw)), limit)], size, limit)
	return c, refused, err
}

// textOf returns the text of a file of a size from its beginning, of which limit bytes were asked for.
func textOf(raw []byte, size, limit int64) (contents, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if bytes.IndexByte(raw, 0) >= 0 {
		return contents{}, errBinary
	}
	cut := size > int64(len(raw)) && int64(len(raw)) >= limit
	text := strings.ToValidUTF8(string(raw), "")
	return contents{strings.ReplaceAll(text, "\r\n", "\n"), size, cut}, nil
}

func (d Disk) stat(name string) (fs.FileInfo, error) {
	if d.FS == nil {
		return nil, errNotReady
	}
	return d.FS.Stat(name)
}

// readHead reads at most limit bytes of a regular file. It does not open pipes and devices,
// which might block.
func (d Disk) readHead(name string, info fs.FileInfo, limit int64) ([]byte, int64, error) {
	if !info.Mode().IsRegular() {
		return nil, 0, errNotFile
	}
	f, err := d.FS.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit))
	return raw, max(info.Size(), int64(len(raw))), err
}

// resolve returns a path with its links resolved, or name itself if that fails.
func (d Disk) resolve(name string) string {
	if d.Resolve != nil {
		if real, err := d.Resolve(name); err == nil {
			return real
		}
	}
	return filepath.Clean(name)
}

// confine returns an error unless a file is in a folder after links are resolved.
func (d Disk) confine(name, within string) error {
	if within == "" || inside(d.resolve(within), d.resolve(name)) {
		return nil
	}
	return errOutside
}

// inside reports whether the clean path name is folder or below it.
func inside(folder, name string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// exists reports whether a file, folder or anything else has that name.
func (d Disk) exists(name string) bool {
	_, err := d.stat(name)
	return err == nil
}

// entries returns the entries of a folder, sorted by name; none if it cannot be read.
func (d Disk) entries(dir string) []fs.DirEntry {
	if d.FS == nil {
		return nil
	}
	list, err := d.FS.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}

// reason returns the text of an error without its operation and path, for messages that
// already contain the path.
func reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "not found"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read it"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// bytesShown formats a size for users and models.
func bytesShown(n int64) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
