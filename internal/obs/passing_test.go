package obs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// Of passing secrets the last ones are known, so that a session that asks for a token with each
// request does not grow.
func TestOnlyTheLastPassingSecretsAreKnown(t *testing.T) {
	var r obs.Redactor
	r.Add("lasting-secret")
	for i := range 40 {
		r.AddPassing(fmt.Sprintf("passing-secret-%02d", i))
		r.AddPassing(fmt.Sprintf("passing-secret-%02d", i)) // again: nothing happens
	}
	for i := range 40 {
		secret := fmt.Sprintf("passing-secret-%02d", i)
		if known := !strings.Contains(r.Redact("x "+secret), secret); known != (i >= 24) {
			t.Errorf("%s is known: %t", secret, known)
		}
	}
	if got := r.Redact("lasting-secret"); got != obs.Redacted {
		t.Errorf("a secret of Add became %q", got)
	}
}
