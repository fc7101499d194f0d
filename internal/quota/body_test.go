package quota_test

import (
	"io"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

// A body counts as it arrives, beyond a megabyte twice, and stays counted until it is given back.
func TestABodyCountsAsItArrives(t *testing.T) {
	const mb = 1 << 20
	for size, want := range map[int]int64{0: 0, 100: 100, mb: mb, mb + 100: mb + 200, 5 * mb: 9 * mb} {
		s := quota.New(100 * mb).Share(0)
		if data, err := quota.ReadAll(strings.NewReader(strings.Repeat("x", size)), s); err != nil || len(data) != size || s.Held() != want {
			t.Errorf("of %d bytes %d were read (%v) and count as %d, want %d", size, len(data), err, s.Held(), want)
		}
		if s.GiveAll(); s.Pool().Used() != 0 {
			t.Errorf("%d bytes are held by nobody", s.Pool().Used())
		}
	}
}

// A body without room is read to its end, and nothing of it is kept.
func TestABodyWithoutRoomIsReadToItsEnd(t *testing.T) {
	p := quota.New(64 << 10)
	r := strings.NewReader(strings.Repeat("x", 1<<20))
	data, err := quota.ReadAll(r, p.Share(0))
	if err != quota.ErrNoRoom || data != nil || p.Used() != 0 || r.Len() != 0 {
		t.Errorf("%v, with %d bytes of it, %d that count and %d unread", err, len(data), p.Used(), r.Len())
	}
	if data, err := quota.ReadAll(io.LimitReader(neverEnding{}, 40<<10), p.Share(0)); err != nil || len(data) != 40<<10 {
		t.Errorf("the next one: %d bytes, %v", len(data), err)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return len(p), nil }
