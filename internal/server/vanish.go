package server

import (
	"context"
	"net"
	"time"
)

// A client that loses power or its network sends nothing, not even a goodbye, and
// holds its sessions and their tools until that is noticed. There are two cases.
//
// While there is nothing to tell it, the system asks it now and then whether it is
// there: askAfter, askEvery and askTimes together say that it is gone a minute
// after its last sign of life. A person who waits for another person on a phone's
// network has longer pauses than half a minute, and answers the probe.
//
// While there is something to tell it, the system does not ask but sends again and
// again, and would do so for a quarter of an hour. unheard ends that: so long has
// what was sent not been acknowledged. This is not TCP_USER_TIMEOUT, which would
// also end a client that lives and does not read: stopped in a debugger, it
// acknowledges what it has room for, and may be as slow as it likes.
const (
	askAfter = 30 * time.Second
	askEvery = 10 * time.Second
	askTimes = 3

	unheard   = time.Minute
	lookEvery = 15 * time.Second // at what was acknowledged
)

// keepAsking sets what a connection asks of the system.
func keepAsking(nc *net.TCPConn) error {
	return nc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: askAfter, Interval: askEvery, Count: askTimes})
}

// endWhenVanished closes nc when nothing was acknowledged for too long, as silence
// says, and returns then or when ctx ends.
func (s *Server) endWhenVanished(ctx context.Context, nc net.Conn, silence func() time.Duration) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if lasts := silence(); lasts >= unheard {
			s.opts.Logger.Warn("a client has vanished", "peer", nc.RemoteAddr().String(), "unacknowledged", lasts)
			_ = nc.Close() // it is lost in any case
			return
		}
	}
}
