package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// path names an attached file or folder, and sends the file if it is a picture.
func (a *attaching) path(item wire.Raw) wire.Raw {
	name := item.Get("path").Text()
	if name == "" {
		name = item.Get("displayName").Text()
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.Cwd, name)
	}
	info, err := a.Disk.stat(name)
	switch {
	case err != nil:
		a.tag(name, reason(err))
		a.warn("the attached file %s: %s", name, reason(err))
	case info.IsDir():
		entries, err := a.Disk.FS.ReadDir(name)
		if err != nil {
			a.tag(name, reason(err))
			break
		}
		a.tag(name, fmt.Sprintf("%d items", len(entries)))
	default:
		return a.file(item, name, info)
	}
	return item
}

// tag adds a line to the block of files. Recordings match it: a plural follows each number.
func (a *attaching) tag(name, about string) {
	a.files = append(a.files, "* "+oneLine(name, 4*maxLine)+" ("+about+")")
}

func (a *attaching) file(item wire.Raw, name string, info fs.FileInfo) wire.Raw {
	head, size, err := a.Disk.readHead(name, info, sniffed)
	if err != nil {
		a.tag(name, reason(err))
		a.warn("the attached file %s: %s", name, reason(err))
		return item
	}
	if mediaType, ok := Picture(head); ok {
		data, _, err := a.Disk.readHead(name, info, maxFile+1)
		if err == nil && len(data) <= maxFile {
			return a.picture(item, name, mediaType, data, true)
		}
		a.unshown(name, mediaType, "it has more than "+bytesShown(maxFile))
		return without(item)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		a.tag(name, "binary, "+bytesShown(size))
		return item
	}
	lines, more, err := a.Disk.lines(name)
	switch {
	case err != nil:
		a.tag(name, reason(err))
	case more:
		a.tag(name, fmt.Sprintf("more than %d lines", lines))
	default:
		a.tag(name, of(item.Get("lineRange"), lines))
	}
	return item
}

// of returns the part of the line that names the attached lines of a file.
func of(lineRange wire.Raw, lines int64) string {
	first, last := number(lineRange.Get("start")), number(lineRange.Get("end"))
	switch {
	case first <= 0:
		return fmt.Sprintf("%d lines", lines)
	case last <= first:
		return fmt.Sprintf("line %d of %d lines", first, lines)
	}
	return fmt.Sprintf("lines %d-%d of %d lines", first, last, lines)
}

const (
	sniffed  = 4 << 10  // bytes read to detect the type of a file
	maxFile  = 50 << 20 // maximum bytes of a picture
	maxCount = 64 << 20 // maximum bytes read to count lines
)

// lines counts the lines of a file; more is true if the file was not read to its end. Text
// after the last line end counts as a line.
func (d Disk) lines(name string) (n int64, more bool, err error) {
	f, err := d.FS.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	last := byte('\n')
	for read := 0; read < maxCount; {
		k, err := f.Read(buf)
		n += int64(bytes.Count(buf[:k], []byte{'\n'}))
		read += k
		if k > 0 {
			last = buf[k-1]
		}
		if errors.Is(err, io.EOF) {
			if last != '\n' {
				n++
			}
			return n, false, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, true, nil
}
