package jsonrpc

import "sync/atomic"

// Memory bounds what the peers of several connections can make us hold before they are trusted:
// the bodies of frames that have not arrived in full, and of messages that are being handled.
// Bodies of up to 4 KiB are not counted, so that a peer can always identify itself. It is safe
// for concurrent use.
type Memory struct {
	max  int64
	used atomic.Int64
}

// NewMemory returns a Memory of max bytes, for [Options].Untrusted.
func NewMemory(max int) *Memory { return &Memory{max: int64(max)} }

// Used returns how many bytes are held now.
func (m *Memory) Used() int { return int(m.used.Load()) }

// take reports whether there is room for n more bytes, and counts them if there is.
func (m *Memory) take(n int) bool {
	if m.used.Add(int64(n)) > m.max {
		m.used.Add(-int64(n))
		return false
	}
	return true
}

func (m *Memory) give(n int) {
	if n > 0 { // nothing was taken from a nil Memory
		m.used.Add(-int64(n))
	}
}
