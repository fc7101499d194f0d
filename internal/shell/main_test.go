//go:build unix

package shell_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if how := os.Getenv(doomed); how != "" {
		os.Exit(liveDoomed(how))
	}
	goleak.VerifyTestMain(m)
}
