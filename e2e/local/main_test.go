//go:build local

package local

import (
	"fmt"
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// binary is the program under test, built once for all tests, python what has the two packages.
var binary, python string

func TestMain(m *testing.M) {
	python = os.Getenv("SIDESTICK_LOCAL_PYTHON")
	if python == "" {
		fmt.Fprintln(os.Stderr, "SIDESTICK_LOCAL_PYTHON must be the Python of an environment with the packages of testdata/requirements.txt")
		os.Exit(1)
	}
	os.Exit(built.Run(func(path string) int {
		binary = path
		return m.Run()
	}))
}
