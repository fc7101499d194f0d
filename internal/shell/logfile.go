package shell

import (
	"fmt"
	"io"
	"os"
)

// maxRead bounds what one report returns of a detached command's file, in bytes;
// of more the end is returned.
const maxRead = headBytes + tailBytes

// size is the length of a detached command's file, 0 if it is gone.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// fileText returns what is between two offsets of a file as a model reads it, and
// the offset after that. Unless all is set, what has only begun is left for the
// next time.
func fileText(path string, from, to int64, all bool) (string, int64) {
	skipped := ""
	if gap := to - from - maxRead; gap > 0 {
		skipped = fmt.Sprintf("[%d bytes left out here; all of the output is in %s]\n", gap, path)
		from += gap
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("[the output cannot be read: %v]\n", err), from
	}
	defer f.Close()
	buf := make([]byte, max(to-from, 0)) // a file can have become shorter
	n, err := f.ReadAt(buf, from)
	if err != nil && err != io.EOF {
		return fmt.Sprintf("[the output cannot be read: %v]\n", err), from
	}
	buf = buf[:n]
	if !all {
		buf = buf[:n-unfinished(buf)]
	}
	return skipped + Clean(buf), from + int64(len(buf))
}
