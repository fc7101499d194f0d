package quota

import (
	"errors"
	"io"
)

// large is how many bytes of a body count once. The bytes behind them count twice, because the decoded values of a large
// body take as much memory as the body, and live beside it. Frames of JSON-RPC count in the same way.
const large = 1 << 20

// ErrNoRoom is the error of [ReadAll] if the pool has no room for the body.
var ErrNoRoom = errors.New("the requests that arrive or are answered take all the memory that there is for them; try again in a moment")

// ReadAll reads a body to its end, and counts it in the share as it arrives. What it has taken stays taken, because what is
// made of the body stays; see [Share.GiveAll]. The error is [ErrNoRoom], or that of the reader. A body without room is
// still read to its end, because its sender reads no answer before that; nothing of it is kept.
func ReadAll(r io.Reader, s *Share) ([]byte, error) {
	data, err := io.ReadAll(&body{r: r, share: s})
	if err == ErrNoRoom {
		data = nil
		s.GiveAll()
		_, _ = io.Copy(io.Discard, r) // why it ends early does not matter any more
	}
	return data, err
}

// body counts what is read of it.
type body struct {
	r     io.Reader
	share *Share
	read  int
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.read += n
	if !b.share.Take(n + min(n, max(b.read-large, 0))) {
		return 0, ErrNoRoom
	}
	return n, err
}
