// Command sidestick is an open agent runtime for programs written on the GitHub
// Copilot SDKs, and for people at a terminal. See package app.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/app"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks for an orderly end; the second is the system's own.
	context.AfterFunc(ctx, stop)
	return app.Main(ctx, os.Args[1:], app.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	})
}
