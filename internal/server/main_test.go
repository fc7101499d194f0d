package server_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain fixes the time zone, which the log shows people their times in, so
// that what is recorded is the same everywhere.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}
