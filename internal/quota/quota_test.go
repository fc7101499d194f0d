package quota_test

import (
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

// fill takes pieces of one until the share has no room, and returns how many it has.
func fill(s *quota.Share) int {
	for s.Take(1) {
	}
	return int(s.Held())
}

// The first peer can have three quarters, and each further one still gets something.
func TestEachPeerGetsAFairShare(t *testing.T) {
	p := quota.New(800)
	var got []int
	for range 5 {
		got = append(got, fill(p.Share(0)))
	}
	if want := 600; got[0] != want {
		t.Errorf("the first peer has %d of 800, want %d", got[0], want)
	}
	for n, have := range got {
		if have == 0 || n > 0 && have > got[n-1] {
			t.Errorf("the peers have %v, want each something and none more than the one before", got)
		}
	}
	if p.Used() > p.Max() {
		t.Errorf("%d of %d are used", p.Used(), p.Max())
	}
}

func TestAnAllowanceIsAlwaysThere(t *testing.T) {
	p := quota.New(9)
	fill(p.Share(0))
	fill(p.Share(0))
	fill(p.Share(0))
	poor := p.Share(100)
	if got := fill(poor); got < 100 {
		t.Errorf("a peer with an allowance of 100 has %d", got)
	}
	poor.Give(int(poor.Held()))
	if !poor.Take(100) || poor.Take(100) {
		t.Error("want room for the allowance and no more")
	}
}

func TestWhatIsGivenBackIsFree(t *testing.T) {
	p := quota.New(90)
	s := p.Share(10)
	var peers sync.WaitGroup
	for range 8 {
		peers.Go(func() {
			for range 1000 {
				if s.Take(7) {
					s.Give(7)
				}
			}
		})
	}
	peers.Wait()
	s.Force(1000)
	if s.Take(1) {
		t.Error("there is room behind what was forced")
	}
	s.Give(1000)
	if p.Used() != 0 || s.Held() != 0 {
		t.Errorf("%d are used and %d held by nobody", p.Used(), s.Held())
	}
}

func TestNoShareHasRoomForEverything(t *testing.T) {
	var s *quota.Share
	s.Force(1)
	s.Give(1)
	if !s.Take(1<<62) || s.Held() != 0 {
		t.Error("a nil share refuses")
	}
}
