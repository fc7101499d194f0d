package logtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	logtest.Run(t, func(*testing.T) (eventlog.Store, func() eventlog.Store) {
		m := &logtest.Memory{}
		return m, func() eventlog.Store { return m }
	})
}
