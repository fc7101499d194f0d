package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

const (
	// headBytes and tailBytes of a command's output stay in memory, in bytes. Together
	// they are the longest result.
	headBytes = 512 << 10
	tailBytes = 512 << 10
	// maxFile bounds the file with one command's output, in bytes; maxFiles bounds all
	// files of a session together.
	maxFile  = 10 << 20
	maxFiles = 200 << 20
)

// output is what a command has written: all of it up to headBytes + tailBytes, and the
// beginning and the end of longer output. Safe for concurrent use.
type output struct {
	file func() *os.File // opens a file for long output; nil: no file

	mu    sync.Mutex // guards the rest
	head  []byte
	tail  []byte // once it is tailBytes long, a ring whose oldest byte is at first
	first int
	total int64 // bytes written by the command
	ended bool  // the command has ended; what is written now is dropped

	spilled *os.File // nil: not needed, full, or impossible to open
	path    string   // of the file; "" if there is none
	saved   int64    // bytes in it
}

// Write adds what a command wrote. It never fails: bytes that cannot be kept are only
// counted. Output of a background program after the command has ended is dropped.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return len(p), nil
	}
	o.save(p)
	o.total += int64(len(p))
	rest := p
	if room := headBytes - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	if room := tailBytes - len(o.tail); room > 0 {
		n := min(room, len(rest))
		o.tail = append(o.tail, rest[:n]...)
		rest = rest[n:]
	}
	for len(rest) > 0 {
		n := copy(o.tail[o.first:], rest)
		o.first = (o.first + n) % tailBytes
		rest = rest[n:]
	}
	return len(p), nil
}

// note inserts a remark of this package into the output.
func (o *output) note(text string) { _, _ = o.Write([]byte(text)) }

// save writes p to the file, and before it what memory is about to drop.
func (o *output) save(p []byte) {
	if o.total+int64(len(p)) <= headBytes+tailBytes {
		return
	}
	if o.path == "" && o.file != nil {
		if f := o.file(); f != nil {
			o.spilled, o.path = f, f.Name()
			o.put(o.head)
			o.put(o.tail) // not a ring yet
		}
		o.file = nil
	}
	o.put(p)
}

func (o *output) put(p []byte) {
	if o.spilled == nil {
		return
	}
	n, err := o.spilled.Write(p[:min(int64(len(p)), maxFile-o.saved)])
	o.saved += int64(n)
	if err != nil || o.saved == maxFile {
		o.close()
	}
}

func (o *output) close() {
	if o.spilled != nil {
		_ = o.spilled.Close() // not synced either: losing this file loses no state
		o.spilled = nil
	}
}

// end is called when the command has ended.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended, o.file = true, nil
	o.close()
}

// between returns the bytes from one offset to another: those before a gap, the number of
// bytes that are missing, and those after it.
func (o *output) between(from, to int64) (before []byte, gap int64, after []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if end := min(to, int64(len(o.head))); from < end {
		before = append(before, o.head[from:end]...)
		from = end
	}
	kept := o.total - int64(len(o.tail)) // offset of the oldest byte of tail
	if lost := min(kept, to); from < lost {
		gap, from = lost-from, lost
	}
	if from == to {
		return before, gap, nil
	}
	i, n := int(from-kept), int(to-from) // i counts from the oldest byte
	if old := o.tail[o.first:]; i < len(old) {
		after = append(after, old[i:min(i+n, len(old))]...)
		i, n = len(old), n-len(after)
	}
	i -= len(o.tail) - o.first
	return before, gap, append(after, o.tail[i:i+n]...)
}

// text returns the output between two offsets as a model reads it, and the offset after
// it. Unless complete is set, an unfinished escape sequence or character at the end is
// left for the next call.
func (o *output) text(from, to int64, complete bool) (string, int64) {
	before, gap, after := o.between(from, to)
	last := &after
	if len(after) == 0 && gap == 0 {
		last = &before
	}
	if !complete {
		cut := unfinished(*last)
		*last, to = (*last)[:len(*last)-cut], to-int64(cut)
	}
	if gap == 0 {
		return Clean(append(before, after...)), to
	}
	return Clean(before) + o.missing(gap) + Clean(after), to
}

// missing is the remark that replaces bytes that are not in memory.
func (o *output) missing(gap int64) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	where := "they are not kept"
	if o.path != "" {
		where = fmt.Sprintf("the first %d bytes of the output are in %s", o.saved, o.path)
	}
	return fmt.Sprintf("\n[%d bytes left out here; %s]\n", gap, where)
}

// spill returns the function with which a shell's output opens its file. The function
// returns nil if the session's files are full.
func (s *Shells) spill(id string) func() *os.File {
	return func() *os.File {
		if s.files.Add(maxFile) > maxFiles || os.MkdirAll(s.opts.Temp, 0o700) != nil {
			return nil
		}
		f, err := os.CreateTemp(s.opts.Temp, "output-"+filepath.Base(id)+"-*.txt")
		if err != nil {
			return nil
		}
		return f
	}
}
