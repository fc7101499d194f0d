package tool_test

import (
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
