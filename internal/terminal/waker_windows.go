package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// waker waits for a console until another goroutine ends the wait.
type waker struct{ in, event windows.Handle }

func newWaker(in *os.File) (*waker, error) {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, err
	}
	return &waker{in: windows.Handle(in.Fd()), event: event}, nil
}

// wait reports whether the console has input. It reports false after wake.
func (w *waker) wait() bool {
	n, err := windows.WaitForMultipleObjects([]windows.Handle{w.event, w.in}, false, windows.INFINITE)
	return err == nil && n == windows.WAIT_OBJECT_0+1
}

// wake ends wait, now and later.
func (w *waker) wake() { _ = windows.SetEvent(w.event) }

func (w *waker) close() { _ = windows.CloseHandle(w.event) }
