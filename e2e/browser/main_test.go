//go:build browser

package browser

import (
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// binary is the program under test, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(built.Run(func(path string) int {
		binary = path
		return m.Run()
	}))
}
