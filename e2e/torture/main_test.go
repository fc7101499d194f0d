//go:build unix

package torture_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// faultOf is set where this test program is to be the program under test: to its
// fault.
const faultOf = "SIDESTICK_TORTURE_FAULT"

func TestMain(m *testing.M) {
	if code, ran := app.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if spec := os.Getenv(faultOf); spec != "" {
		os.Exit(serve(spec))
	}
	goleak.VerifyTestMain(m)
}

// serve is the program under test. It ends with its standard input, so that none
// outlives the test.
func serve(spec string) int {
	f, err := parseFault(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return cli.ExitUsage
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(cli.ExitAborted)
	}()
	return app.Main(context.Background(), os.Args[1:], cli.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		FS: &disk{FS: vfs.OS{}, root: os.Getenv("COPILOT_HOME"), fault: f, trace: os.NewFile(3, "trace")},
	})
}
