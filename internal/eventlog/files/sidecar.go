package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// How far the index of an open log may fall behind it. The lag costs no memory:
// the index catches up by reading what was appended since, which is cheap while the
// operating system still has it in memory.
const (
	lagRecords = 64
	lagBytes   = 1 << 20
)

// sidecar says how far the index of an open log goes.
type sidecar struct {
	count uint64   // entries
	size  int64    // bytes of the log that they describe
	sum   [32]byte // the running hash behind the last
	lost  bool     // it could not be written; the next Open makes it again
}

// indexed notes that records were appended, and whether all are on disk now.
func (s *stream) indexed(durable bool) {
	if s.store.sync == SyncAlways || s.store.sync == SyncTurn && durable {
		s.synced = s.count
	}
	s.followIndex()
}

// followIndex writes the index if it has fallen behind.
func (s *stream) followIndex() {
	if s.count-s.sidecar.count >= lagRecords || s.size-s.sidecar.size >= lagBytes {
		s.writeIndex()
	}
}

// writeIndex brings the index up to the end of the log. It returns no error: an append
// must not fail because of the index.
func (s *stream) writeIndex() {
	if s.sidecar.lost || s.sidecar.count == s.count {
		return
	}
	path := filepath.Join(s.dir, indexName)
	if err := s.extendIndex(path); err != nil {
		s.sidecar.lost = true
		level := slog.LevelWarn
		if err == errIndexGone { // most likely with its session: nothing is wrong
			level = slog.LevelDebug
			s.check()
		}
		s.store.log.Log(context.Background(), level, "the index of a log cannot be written; it is made again when the session is opened next", "path", path, "error", err)
	}
}

// Why this stream must not continue an index.
const (
	errOthersIndex = errString("another process has written it")
	errIndexGone   = errString("it was removed, or its session was")
)

// extendIndex appends an entry for each record that has none. If only a part could be
// written, it removes the file.
func (s *stream) extendIndex(path string) error {
	flag := os.O_RDWR | os.O_APPEND
	if s.sidecar.count == 0 {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := s.store.fs.OpenFile(path, flag, filePerm)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errOthersIndex
	case errors.Is(err, fs.ErrNotExist):
		return errIndexGone
	case err != nil:
		return err
	}
	if s.sidecar.count > 0 && !s.left(f) {
		_ = f.Close() // it was only read
		return errOthersIndex
	}
	next, err := s.writeEntries(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.store.fs.Remove(path) // its entries are right, but the last one may not be complete
		return err
	}
	s.sidecar = next
	return nil
}

// left reports whether the index ends as this stream has left it.
func (s *stream) left(f vfs.File) bool {
	info, err := f.Stat()
	size := int64(len(indexHead)) + int64(s.sidecar.count)*entrySize
	if err != nil || info.Size() != size {
		return false
	}
	var last [entrySize]byte
	if _, err := f.ReadAt(last[:], size-entrySize); err != nil {
		return false
	}
	e, ok := parseEntry(last[:])
	return ok && e.sum == s.sidecar.sum
}

// writeEntries writes the missing entries to f, and returns how far the index then goes.
func (s *stream) writeEntries(f io.Writer) (sidecar, error) {
	in, out := buffers.Get().(*[]byte), buffers.Get().(*[]byte)
	l := newLines(s.file, s.sidecar.size, s.size)
	l.buf = (*in)[:cap(*in)]
	car, err := s.entries(l, out, f)
	*in = l.buf
	for _, buf := range []*[]byte{in, out} {
		giveBack(buf)
	}
	return car, err
}

// entries writes an entry for each line to f, some at a time.
func (s *stream) entries(l *lines, buf *[]byte, f io.Writer) (sidecar, error) {
	car, sums := s.sidecar, sha256.New()
	if car.count == 0 {
		*buf = append(*buf, indexHead...)
	}
	for car.count < s.count {
		line, err := l.read()
		if err != nil {
			return car, cutUnder(err)
		}
		e := car.next(line.body(), sums)
		e.sealed = car.count <= s.synced
		*buf = e.append(*buf)
		if len(*buf) >= window/8 || car.count == s.count {
			if _, err := f.Write(*buf); err != nil {
				return car, err
			}
			*buf = (*buf)[:0]
		}
	}
	return car, nil
}

// next returns the entry of the record after the last, and counts it.
func (c *sidecar) next(rec []byte, sums hash.Hash) entry {
	e := entry{off: c.size, length: uint32(len(rec)), crc: crc32.Checksum(rec, castagnoli.Get())}
	chain(sums, &c.sum, rec)
	e.sum = c.sum
	c.count++
	c.size = e.end()
	return e
}

// chain turns sum, the running hash before rec, into the one behind it.
func chain(sums hash.Hash, sum *[32]byte, rec []byte) {
	sums.Reset()
	sums.Write(sum[:])
	sums.Write(rec)
	sums.Sum(sum[:0])
}
