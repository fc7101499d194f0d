package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	indexName = "events.idx"
	indexHead = "SSTICKIX\x01\x00\x00\x00\x38\x00\x00\x00" // magic, version 1, entries of 56 bytes
	entrySize = 56
	sealed    = 1 // the flag
)

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = lazy.Value[*crc32.Table]{Make: func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }}

// entry is what the index says about a record; see the package comment.
type entry struct {
	off    int64
	length uint32
	crc    uint32
	sum    [32]byte
	sealed bool
}

// end is where the next record begins.
func (e *entry) end() int64 { return e.off + int64(e.length) + 1 }

func (e *entry) append(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.off))
	dst = binary.LittleEndian.AppendUint32(dst, e.length)
	dst = binary.LittleEndian.AppendUint32(dst, e.crc)
	dst = append(dst, e.sum[:]...)
	flags := uint32(0)
	if e.sealed {
		flags = sealed
	}
	dst = binary.LittleEndian.AppendUint32(dst, flags)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli.Get()))
}

// parseEntry reports false if b was never an entry.
func parseEntry(b []byte) (e entry, ok bool) {
	check := binary.LittleEndian.Uint32(b[entrySize-4:])
	e.off = int64(binary.LittleEndian.Uint64(b))
	e.length = binary.LittleEndian.Uint32(b[8:])
	e.crc = binary.LittleEndian.Uint32(b[12:])
	copy(e.sum[:], b[16:48])
	e.sealed = binary.LittleEndian.Uint32(b[48:])&sealed != 0
	return e, check == crc32.Checksum(b[:entrySize-4], castagnoli.Get()) && e.length <= maxLine
}

// indexReader reads an index from its beginning up to the first entry that is wrong.
type indexReader struct {
	file vfs.File
	in   *bufio.Reader
	next int64 // where the next record must begin
	buf  [entrySize]byte

	broken bool // something in it was not an entry
}

// openIndex returns a reader of the index in dir as it is now; later entries do not
// count. It returns nil if there is no index. Read the size of the log afterwards: then
// the log is not shorter than the part that the index describes.
func (s *Store) openIndex(dir string) (*indexReader, error) {
	path := filepath.Join(dir, indexName)
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("files.Open", path, err)
	}
	r := &indexReader{file: f}
	info, err := f.Stat()
	if err != nil {
		r.broken = true
		return r, nil
	}
	r.in = bufio.NewReaderSize(io.LimitReader(f, info.Size()), int(min(window, info.Size())))
	head := make([]byte, len(indexHead))
	_, err = io.ReadFull(r.in, head)
	r.broken = err != nil || string(head) != indexHead
	return r, nil
}

// read returns the next entry, or false behind the last. An entry that cannot be read
// ends the index, without an error: it is easy to make an index again.
func (r *indexReader) read() (e entry, ok bool) {
	if r.broken {
		return e, false
	}
	if _, err := io.ReadFull(r.in, r.buf[:]); err != nil {
		r.broken = err != io.EOF
		return e, false
	}
	e, ok = parseEntry(r.buf[:])
	if !ok || e.off != r.next {
		r.broken = true
		return e, false
	}
	r.next = e.end()
	return e, true
}

// close does nothing on nil, because there may be no index.
func (r *indexReader) close() {
	if r != nil {
		_ = r.file.Close() // it was only read
	}
}

// dropIndex removes the index in dir, if there is one, durably: it must not come back
// after a loss of power, beside a log that it does not describe.
func (s *Store) dropIndex(dir string) error {
	path := filepath.Join(dir, indexName)
	err := s.fs.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.fs.SyncDir(dir)
	}
	if err != nil {
		return failed("files.Open", path, err)
	}
	return nil
}
