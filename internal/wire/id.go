package wire

import (
	"math/rand/v2"

	"github.com/google/uuid"
)

// NewID returns a new event id, a UUID v4 as the protocol requires. Its bits come from the
// Go runtime's ChaCha8 generator, seeded by the operating system: an id must be unique but
// not secret, and a system call for each delta would be too slow.
func NewID() string {
	var u uuid.UUID
	a, b := rand.Uint64(), rand.Uint64()
	for i := range 8 {
		u[i], u[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	u[6] = u[6]&0x0f | 0x40 // version 4
	u[8] = u[8]&0x3f | 0x80 // RFC 9562 variant
	return u.String()
}

// NewSessionID returns a new session id, a UUID v7, so that session folders sort by age.
func NewSessionID() string { return uuid.Must(uuid.NewV7()).String() }

// FormatID returns sixteen bytes as an id of the form that [NewID] returns. It sets the six
// bits that mark the version.
func FormatID(raw [16]byte) string {
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	return uuid.UUID(raw).String()
}

// ParseID returns the sixteen bytes of an id; ok is false if it has another form.
func ParseID(id string) (raw [16]byte, ok bool) {
	u, err := uuid.Parse(id)
	return u, err == nil
}
