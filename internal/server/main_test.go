package server_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain fixes the time zone, which logs print, so that recordings are the same
// everywhere.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}
