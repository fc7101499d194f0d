package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signals returns a context that ends with the first signal that asks the process to end:
// Ctrl-C, SIGTERM, SIGHUP because the terminal was closed, or Ctrl-\. After that the next
// Ctrl-C, SIGTERM or Ctrl-\ ends the process at once, as the system does it. The next SIGHUP
// does not: when a terminal is closed, the shell sends one and the kernel another. A process
// that was started with SIGHUP ignored, as by nohup, still ignores it.
//
// SIGPIPE no longer ends the process: a write to a closed pipe returns an error, so that the
// command ends as after any other error. The programs that this process starts get the
// system's default for all these signals, but for a SIGHUP that is ignored.
//
// It changes the whole process, so only a main function calls it, once.
func Signals() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // never read: a full channel blocks nobody
	came, hungUp := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	go func() { // it ends with the process
		select {
		case <-came:
		case <-hungUp:
		}
		stop() // first: Stop waits for signals that are being delivered
		signal.Stop(came)
	}()
	return ctx
}
