package effects

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
)

// Bounds of the list of files of a repository, which is read once from front to back.
const (
	maxIndex      = 96 << 20 // bytes; that of the Linux kernel has 9 MB, and a million files need some 90
	maxIndexName  = 64 << 10 // bytes of one name in it; a system opens 4,096
	maxIndexParts = 64       // extensions behind its entries; git 2.50 writes at most eleven kinds, each once
)

// gitlinks returns the paths of the submodules that an index names. ok is false if the
// index is damaged, or split into two files, or names more than [maxSubmodules]. long means
// names of objects by SHA-256. Source: gitformat-index(5).
func (b *budget) gitlinks(file string, long bool) (paths []string, ok bool, err error) {
	b.look(len(file))
	info, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxIndex {
		return nil, false, os.ErrInvalid
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	hash := 20
	if long {
		hash = 32
	}
	const buffer = 64 << 10
	b.spend(buffer+3*maxIndexName, int(info.Size())>>10)
	r := &indexReader{from: bufio.NewReaderSize(io.LimitReader(f, info.Size()-int64(hash)), buffer), hash: hash}
	paths, ok = r.gitlinks()
	return paths, ok, nil
}

// indexReader reads an index from front to back.
type indexReader struct {
	from *bufio.Reader
	hash int    // bytes of the name of an object
	name []byte // of the last entry
}

func (r *indexReader) gitlinks() (paths []string, ok bool) {
	header, err := r.from.Peek(12)
	if err != nil || string(header[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(header[4:]), binary.BigEndian.Uint32(header[8:])
	if version < 2 || version > 4 || !r.skip(12) {
		return nil, false
	}
	for ; count > 0; count-- {
		link, ok := r.entry(version)
		switch {
		case !ok, link && len(paths) > maxSubmodules:
			return nil, false
		case link:
			paths = append(paths, string(r.name))
		}
	}
	return paths, r.whole()
}

// entry reads one entry, and its name into r.name. link means that it is a submodule.
func (r *indexReader) entry(version uint32) (link, ok bool) {
	const modeAt, hashAt = 24, 40
	fixed := hashAt + r.hash + 2
	data, err := r.from.Peek(fixed)
	if err != nil {
		return false, false
	}
	link = binary.BigEndian.Uint32(data[modeAt:])&0o170000 == 0o160000
	if data[fixed-2]&0x40 != 0 { // extended flags
		fixed += 2
	}
	if !r.skip(fixed) {
		return false, false
	}
	if version == 4 {
		drop, ok := r.number()
		if !ok || drop > len(r.name) {
			return false, false
		}
		r.name = r.name[:len(r.name)-drop]
	} else {
		r.name = r.name[:0]
	}
	read := fixed
	for {
		c, err := r.from.ReadByte()
		if err != nil || len(r.name) > maxIndexName {
			return false, false
		}
		read++
		if c == 0 {
			break
		}
		r.name = append(r.name, c)
	}
	// The entries of older versions have one to eight zeros behind the name.
	return link, version == 4 || r.skip((8-read%8)%8)
}

// number reads how many bytes of the last name a name of version 4 drops. Source: git 2.50,
// varint.c.
func (r *indexReader) number() (value int, ok bool) {
	for range 5 {
		c, err := r.from.ReadByte()
		if err != nil {
			return 0, false
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, true
		}
		value++
	}
	return 0, false
}

// whole reports whether the extensions behind the entries of an index do not name a second
// file with more entries. More of them than git writes mean no: a file of empty ones would
// be read 8 bytes at a time.
func (r *indexReader) whole() bool {
	for range maxIndexParts {
		header, err := r.from.Peek(8)
		if err != nil {
			return len(header) == 0
		}
		size := binary.BigEndian.Uint32(header[4:])
		if string(header[:4]) == "link" || !r.skip(8) || !r.skip(int(size)) {
			return false
		}
	}
	return false
}

func (r *indexReader) skip(n int) bool {
	_, err := r.from.Discard(n)
	return err == nil
}
