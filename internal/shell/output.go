package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

const (
	// headBytes and tailBytes of a command's output stay in memory: together what
	// a result may be long.
	headBytes = 512 << 10
	tailBytes = 512 << 10
	// maxFile bounds the file of one command's output, in bytes; maxFiles those of
	// a session.
	maxFile  = 10 << 20
	maxFiles = 200 << 20
)

// output is what a command has written: all of it up to headBytes + tailBytes,
// and of more its beginning and its end. Safe for concurrent use.
type output struct {
	file func() *os.File // opens where long output goes; nil if nowhere

	mu    sync.Mutex // guards the rest
	head  []byte
	tail  []byte // a ring once it is tailBytes long, the oldest byte at first
	first int
	total int64 // bytes written by the command
	ended bool  // what comes now is of nobody

	spilled *os.File // nil: not needed, or full, or not possible
	path    string   // of the file; "" if there is none
	saved   int64    // bytes in it
}

// Write adds what a command wrote. It never fails: what cannot be saved is only
// counted, and what a program in the background writes once the command has ended
// is dropped.
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

// note puts a remark before what the command writes.
func (o *output) note(text string) { _, _ = o.Write([]byte(text)) }

// save writes p to the file, and before it what memory is about to lose.
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
		_ = o.spilled.Close() // it was not synced either: losing it loses a convenience
		o.spilled = nil
	}
}

// end is called when nothing more is written.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended, o.file = true, nil
	o.close()
}

// between returns the bytes from one offset to another: those before a gap, how
// many are missing, those behind it.
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
	i, n := int(from-kept), int(to-from) // as if the ring began at first
	if old := o.tail[o.first:]; i < len(old) {
		after = append(after, old[i:min(i+n, len(old))]...)
		i, n = len(old), n-len(after)
	}
	i -= len(o.tail) - o.first
	return before, gap, append(after, o.tail[i:i+n]...)
}

// text returns what is between two offsets as a model reads it, and the offset
// after that. Unless all is set, an escape sequence or a character that has only
// begun is left for the next time.
func (o *output) text(from, to int64, all bool) (string, int64) {
	before, gap, after := o.between(from, to)
	last := &after
	if len(after) == 0 && gap == 0 {
		last = &before
	}
	if !all {
		cut := unfinished(*last)
		*last, to = (*last)[:len(*last)-cut], to-int64(cut)
	}
	if gap == 0 {
		return Clean(append(before, after...)), to
	}
	return Clean(before) + o.missing(gap) + Clean(after), to
}

func (o *output) missing(gap int64) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	where := "they are not kept"
	if o.path != "" {
		where = fmt.Sprintf("the first %d bytes of the output are in %s", o.saved, o.path)
	}
	return fmt.Sprintf("\n[%d bytes left out here; %s]\n", gap, where)
}

// spill returns how the output of a shell opens its file. It gives up when the
// session's files are full.
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
