// Command sidestick is an open agent runtime for programs written on the GitHub
// Copilot SDKs, and for people at a terminal. See package app.
package main

import (
	"context"
	"os"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

func main() { os.Exit(run()) }

// orderly bounds how long the end may take once it was asked for. Everything that
// can be waited for is bounded by less; what is left is a write to a client that
// does not read, which nothing can wake. SDKs give a server 10 seconds.
const orderly = 8 * time.Second

func run() int {
	app.Protect(os.Getenv)
	if code, ran := app.RunKeeper(os.Args[1:]); ran {
		return code
	}
	ctx := app.Signals()
	context.AfterFunc(ctx, func() {
		time.AfterFunc(orderly, func() { os.Exit(cli.ExitFailed) })
	})
	return app.Main(ctx, os.Args[1:], cli.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	})
}
