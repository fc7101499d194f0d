//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// orphaned is how long Stop waits for the process to be continued. The time passes only while
// it runs: a shell that does not continue it has stopped it; without a shell nothing does.
const orphaned = 200 * time.Millisecond

// Stop stops the process and its group, as Ctrl-Z does outside of raw mode, and returns when the
// shell continues it. It returns soon if no shell can.
func Stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(orphaned):
	}
	return nil
}

// Resizes sends to the channel whenever the terminal has changed its size, until stop is called.
// Changes that come together are sent once.
func Resizes() (changed <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
