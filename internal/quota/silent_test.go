package quota_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

type peer struct {
	quota.Signs
	name  string
	works bool
}

func (p *peer) Works() bool { return p.works }

// Who makes room: of those that may go, the one that has been silent longest; first those that have sent little, if they
// have half of the places.
func TestWhoMakesRoom(t *testing.T) {
	for _, tc := range []struct {
		name   string
		peers  string // each a name, "+" if it is a regular client, "!" if it works; then "*" for each message in the end
		places int
		want   string
	}{
		{"nobody", "", 4, ""},
		{"the first", "a b c", 2, "a"},
		{"not who has sent since", "a* b c*", 2, "b"},
		{"not who works", "a! b! c", 2, "c"},
		{"nobody if all work", "a! b!", 2, ""},
		{"a new one before a regular one", "a+ b+ c d", 4, "c"},
		{"a regular one, if few are new", "a+ b+ c+ d", 4, "a"},
	} {
		var all []*peer
		for n, text := range strings.Fields(tc.peers) {
			p := &peer{name: text[:1], works: strings.Contains(text, "!")}
			p.Came(int64(n))
			for range quota.Regular * strings.Count(text, "+") {
				p.Sent(int64(n))
			}
			all = append(all, p)
		}
		for n, text := range strings.Fields(tc.peers) {
			if strings.Contains(text, "*") {
				all[n].Sent(int64(len(all)))
			}
		}
		got := ""
		if silent, ok := quota.Silent(all, tc.places, func(p *peer) bool { return !p.works }); ok {
			got = silent.name
		}
		if got != tc.want {
			t.Errorf("%s: %q makes room, want %q", tc.name, got, tc.want)
		}
	}
}
