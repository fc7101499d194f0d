package filter_test

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
)

// Of made-up calls the test knows no verdict, but how the verdicts of sandboxes relate.
func FuzzCall(f *testing.F) {
	f.Add(uint32(16), uint64(0), uint64(0x1_0000_5412), uint64(0), false)
	f.Add(uint32(41), uint64(1<<32+40), uint64(1), uint64(0), false)
	f.Add(uint32(56), uint64(0x10000011), uint64(0), uint64(0), true)
	f.Add(uint32(0x40000029), uint64(2), uint64(1), uint64(0), false)
	f.Fuzz(func(t *testing.T, number uint32, a, b, c uint64, second bool) {
		p := processors[0]
		if second {
			p = processors[1]
		}
		run := func(o filter.Options, args [6]uint64) string {
			return newMachine(t, p.goarch, o).verdict(t, p.audit, number, args)
		}
		args := [6]uint64{a, b, c}
		for _, o := range sandboxes() {
			got := run(o, args)
			if !slices.Contains([]string{"allowed", "refused", "absent"}, got) {
				t.Errorf("%+v: %d %x is %s", o, number, args, got)
			}
			for i := range args {
				high := args
				high[i] ^= 0xffffffff << 32
				if with := run(o, high); with != got {
					t.Errorf("%+v: %d %x is %s, and %x is %s", o, number, args, got, high, with)
				}
			}
			for _, wider := range wider(o) {
				if with := run(wider, args); got == "allowed" && with != got {
					t.Errorf("%d %x is allowed in %+v, and %s in %+v", number, args, o, with, wider)
				}
			}
		}
	})
}

// wider returns sandboxes that allow all that o allows.
func wider(o filter.Options) []filter.Options {
	namespaces, writable := o, o
	namespaces.Namespaces = true
	writable.ReadOnly = false
	newer := o
	newer.LandlockABI++
	return []filter.Options{namespaces, writable, newer}
}
