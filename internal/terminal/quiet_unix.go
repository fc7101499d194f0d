//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// muffle stops a terminal from showing typed keys and from collecting them into lines.
// Ctrl-C and the other keys that send a signal still do.
func muffle(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	muffled := *before
	muffled.Lflag &^= unix.ECHO | unix.ICANON | unix.IEXTEN
	muffled.Iflag &^= unix.ICRNL // Enter arrives as it does in raw mode
	muffled.Cc[unix.VMIN], muffled.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &muffled); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil // fails if the terminal has been closed
}
