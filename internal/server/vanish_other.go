//go:build !linux

package server

import (
	"net"
	"time"
)

// unacknowledged is known on Linux only. Other systems give up a connection themselves,
// after about ten minutes.
func unacknowledged(*net.TCPConn) time.Duration { return 0 }
