package lazy_test

import (
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

func TestAValueIsMadeOnceAndWhenItIsNeeded(t *testing.T) {
	made := 0
	v := lazy.Value[[]int]{Make: func() []int { made++; return []int{made} }}
	if made != 0 {
		t.Fatal("the value is made before it is needed")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got := v.Get(); len(got) != 1 || got[0] != 1 {
				t.Errorf("Get = %v, want [1]", got)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("the value is made %d times", made)
	}
	if n := testing.AllocsPerRun(100, func() { v.Get() }); n != 0 {
		t.Errorf("Get allocates %v times, want 0", n)
	}
}
