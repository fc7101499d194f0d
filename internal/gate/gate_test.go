package gate_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
)

func TestOneHome(t *testing.T) {
	for _, tc := range []struct {
		token, credential string
		closed, admitted  bool
	}{
		{"", "", false, true},
		{"", "anything", false, true},
		{"secret", "secret", true, true},
		{"secret", "", true, false},
		{"secret", "secret ", true, false},
		{"secret", "secre", true, false},
	} {
		g := gate.One(tc.token, "home")
		entrance, err := g.Admit(t.Context(), tc.credential)
		if g.Closed() != tc.closed || (err == nil) != tc.admitted || (entrance.Home == "home") != tc.admitted {
			t.Errorf("token %q, credential %q: closed %v, %+v, %v", tc.token, tc.credential, g.Closed(), entrance, err)
		}
		if err != nil && fault.KindOf(err) != fault.Denied {
			t.Errorf("a wrong credential is %v, want Denied", fault.KindOf(err))
		}
	}
}
