package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
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
	if os.Getenv(isServer) != "" {
		beServer()
		return
	}
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "sidestick-e2e")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the temporary folder
	binary = filepath.Join(dir, "sidestick")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-o", binary, "../cmd/sidestick")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", build, err, out)
	}
	return m.Run(), nil
}
