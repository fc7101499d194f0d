package attempt

import (
	"os"
	"testing"
)

// Variable is the environment variable by which .ci/run says that sandboxes work on a machine:
// its value is "required".
const Variable = "SIDESTICK_SANDBOX_TEST"

// Required reports whether sandboxes must work on this machine.
func Required() bool { return os.Getenv(Variable) == "required" }

// Missing ends a test that needs a part of sandboxes which this machine does not have, for the
// reason why: it fails the test if sandboxes are [Required], and skips it otherwise. It is the
// only place that skips a test for such a reason.
func Missing(t testing.TB, why string) {
	t.Helper()
	if Required() {
		t.Fatalf("NOT TESTED: %s", why)
	}
	t.Skipf("NOT TESTED: %s", why)
}
