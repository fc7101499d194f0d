package shell

import (
	"fmt"
	"io"
	"os"
)

// maxRead bounds what one report returns of a detached command's file, in bytes; of more,
// only the end is returned.
const maxRead = headBytes + tailBytes

// size returns the length of a detached command's file, 0 if the file cannot be found.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// fileText returns what is between two offsets of a file as a model reads it, and the
// offset after it. Unless complete is set, an unfinished escape sequence or character at
// the end is left for the next call.
func fileText(path string, from, to int64, complete bool) (string, int64) {
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
	buf := make([]byte, max(to-from, 0)) // the file may have become shorter
	n, err := f.ReadAt(buf, from)
	if err != nil && err != io.EOF {
		return fmt.Sprintf("[the output cannot be read: %v]\n", err), from
	}
	buf = buf[:n]
	if !complete {
		buf = buf[:n-unfinished(buf)]
	}
	return skipped + Clean(buf), from + int64(len(buf))
}
