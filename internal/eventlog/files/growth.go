package files

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// look counts what others have appended, and reports it to grown. It reports whether there
// was anything new.
func (w *watch) look() bool {
	s := w.stream
	if s.isClosed() {
		s.store.watches.remove(w)
		return false
	}
	s.adopt()
	s.mu.Lock()
	adopted := s.adopted
	s.mu.Unlock()
	if adopted <= w.told {
		return false
	}
	w.told = adopted
	w.calling.Lock()
	defer w.calling.Unlock()
	if !w.stopped {
		w.grown(adopted)
	}
	return true
}

// adopt counts the records that others have appended, up to the last line feed: the owner may
// be in the middle of an append. It does nothing while this stream has the claim, and repairs
// nothing. If the log cannot be read, the next look tries again.
//
// The owner removes what it has just written if the append fails, so lines that were adopted
// may be removed again. Hence [mark]: what is adopted later, and the next claim, first check
// that the end that was adopted last is still there.
func (s *stream) adopt() {
	if !s.growing.TryLock() { // a claim, which reads everything itself
		return
	}
	defer s.growing.Unlock()
	if s.lease != nil || s.broken != nil || s.changed || s.isClosed() {
		return
	}
	info, err := s.file.Stat()
	if err != nil || info.Size() == s.size {
		return
	}
	end, err := lastLine(s.file, s.size, info.Size())
	s.changed = err == errEndless // no store writes that
	if err != nil || end == s.size {
		return
	}
	offs, last, whole, err := s.foreign(end)
	if err != nil || !whole {
		s.changed = err == nil
		return
	}
	s.last = last
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extend(offs, end)
	s.adopted = s.count
}

// lastLine returns the offset behind the last line feed between two offsets of a file; from
// if there is none. If the file is shorter than from, it returns to. It looks at no more than
// a record can have: [errEndless] if there is more behind the last line feed.
func lastLine(f io.ReaderAt, from, to int64) (int64, error) {
	var buf [4 << 10]byte
	least := max(from, to-maxLine-1)
	for end := to; end > least; {
		part := buf[:min(int64(len(buf)), end-least)]
		if _, err := f.ReadAt(part, end-int64(len(part))); err != nil {
			return 0, cutUnder(err)
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return end - int64(len(part)-i) + 1, nil
		}
		end -= int64(len(part))
	}
	if least > from {
		return 0, errEndless
	}
	return min(from, to), nil
}

// mark is the last record that was read of a log that another process owns: where it is and
// its checksum. If it is still there, so is everything before it, because a failed append is
// cut off from the end, and no two records are equal. The zero mark is of no record.
type mark struct {
	off    int64
	length uint32
	crc    uint32
}

func markOf(off int64, rec []byte) mark {
	return mark{off, uint32(len(rec)), crc32.Checksum(rec, castagnoli.Get())}
}

// holds reports whether the record is still in the log.
func (m mark) holds(f vfs.File) (bool, error) {
	if m == (mark{}) {
		return true, nil
	}
	sum := crc32.New(castagnoli.Get())
	n, err := io.Copy(sum, io.NewSectionReader(f, m.off, int64(m.length)))
	return n == int64(m.length) && sum.Sum32() == m.crc, err
}
