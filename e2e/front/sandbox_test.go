package front_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// mustSandbox skips a test where commands cannot run in a sandbox and need not.
func mustSandbox(t *testing.T) {
	t.Helper()
	if s := sandbox.NewHost(sandbox.Options{}).Support(); !s.Has(sandbox.WorkspaceWrite) {
		attempt.Missing(t, "no sandbox works here: "+s.Why(sandbox.WorkspaceWrite))
	}
}
