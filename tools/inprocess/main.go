// Inprocess builds the library that the Copilot SDKs load to host the runtime in process, and puts it where they look
// for it: beside the program, and in prebuilds/<platform> below its folder. It needs a C compiler.
//
//	go run -C tools ./inprocess -beside "$(go env GOPATH)/bin"
//	go run -C tools ./inprocess -beside /usr/local/bin -cc clang
//
// The archives of a release have the library for all platforms; see ./release.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/tools/internal/library"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "inprocess:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("inprocess", flag.ContinueOnError)
	beside := f.String("beside", "", "the folder of the program sidestick, as an absolute path")
	cc := f.String("cc", "cc", "the C compiler: a command, with arguments behind it")
	if err := f.Parse(args); err != nil {
		return err
	}
	if !filepath.IsAbs(*beside) {
		return fmt.Errorf("-beside %q: give the folder of the program sidestick as an absolute path", *beside)
	}
	source, err := filepath.Abs("../inprocess")
	if err != nil {
		return err
	}
	made, err := library.Install(ctx, *cc, source, *beside)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(made, "\n"))
	return nil
}
