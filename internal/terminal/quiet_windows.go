package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// muffle stops a console from showing typed keys and from collecting them into lines.
// Ctrl-C still sends a signal.
func muffle(f *os.File) (restore func(), err error) {
	console := windows.Handle(f.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(console, before&^(windows.ENABLE_ECHO_INPUT|windows.ENABLE_LINE_INPUT)); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(console, before) }, nil // fails if the console has been closed
}
