//go:build !linux

package server

import (
	"net"
	"syscall"
	"time"
)

// hungUp is implemented for Linux only. On other systems it returns false, so a resume may be
// read before the end of another client's connection, even if that came earlier.
func hungUp(syscall.Conn) bool { return false }

// unacknowledged is known on Linux only. Other systems give up a connection themselves,
// after about ten minutes.
func unacknowledged(*net.TCPConn) time.Duration { return 0 }
