package effects

import (
	"encoding/binary"
	"strings"
)

// maxIndex bounds the list of files of a repository, in bytes. That of the Linux kernel
// has 9 MB.
const maxIndex = 256 << 20

// gitlinks returns the paths of the submodules that an index names. ok is false if the
// index is damaged, or split into two files. long means names of objects by SHA-256.
// Source: gitformat-index(5).
func gitlinks(index string, long bool) (paths []string, ok bool) {
	const header, modeAt, hashAt = 12, 24, 40
	hash := 20
	if long {
		hash = 32
	}
	if len(index) < header+hash || index[:4] != "DIRC" {
		return nil, false
	}
	version, count := number32(index[4:]), number32(index[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	rest, name := index[header:len(index)-hash], ""
	for ; count > 0; count-- {
		at := hashAt + hash + 2
		if len(rest) < at+2 {
			return nil, false
		}
		if rest[at-2]&0x40 != 0 { // extended flags
			at += 2
		}
		end := strings.IndexByte(rest[at:], 0)
		if version == 4 {
			drop, size := indexNumber(rest[at:])
			if end = strings.IndexByte(rest[min(at+size, len(rest)):], 0); size == 0 || drop > len(name) || end < 0 {
				return nil, false
			}
			name = name[:len(name)-drop] + rest[at+size:at+size+end]
			end += size
		} else if end >= 0 {
			name = rest[at : at+end]
		}
		if end < 0 {
			return nil, false
		}
		if number32(rest[modeAt:])&0o170000 == 0o160000 {
			paths = append(paths, name)
		}
		next := at + end + 1
		if version < 4 {
			next = (at + end + 8) &^ 7
		}
		if next > len(rest) {
			return nil, false
		}
		rest = rest[next:]
	}
	return paths, wholeIndex(rest)
}

// wholeIndex reports whether the extensions behind the entries of an index do not name a
// second file with more entries.
func wholeIndex(extensions string) bool {
	for len(extensions) >= 8 {
		size := number32(extensions[4:])
		if extensions[:4] == "link" || int64(size) > int64(len(extensions)-8) {
			return false
		}
		extensions = extensions[8+size:]
	}
	return extensions == ""
}

func number32(s string) uint32 { return binary.BigEndian.Uint32([]byte(s[:4])) }

// indexNumber reads how many bytes of the last name a name of version 4 drops. size is
// how many bytes the number has, 0 if it is damaged. Source: git 2.50, varint.c.
func indexNumber(s string) (value, size int) {
	for i := 0; i < len(s) && i < 5; i++ {
		value = value<<7 | int(s[i]&0x7f)
		if s[i]&0x80 == 0 {
			return value, i + 1
		}
		value++
	}
	return 0, 0
}
