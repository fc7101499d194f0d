package e2e_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// binary is the program under test, built once for all tests.
var binary string

// clientOf is set where this test program is to be a client that dies: the address
// of a runtime.
const clientOf = "SIDESTICK_E2E_CLIENT_OF"

func TestMain(m *testing.M) {
	if url := os.Getenv(clientOf); url != "" {
		beClient(url, os.Getenv(modelAt))
		return
	}
	if addr := os.Getenv(pingAt); addr != "" {
		bePinging(addr)
		return
	}
	if signal.Ignored(syscall.SIGHUP) { // as by nohup: the programs that are started would ignore it, too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // never read: a full channel blocks nobody
	}
	if os.Getenv(isServer) != "" {
		beServer()
		return
	}
	os.Exit(built.Run(func(path string) int {
		binary = path
		return m.Run()
	}))
}
