package server

import (
	"context"
	"net"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// A client that loses power or its network says nothing, and keeps its sessions and
// tools until the server notices. There are two cases.
//
// While there is nothing to send, the system probes the connection: askAfter, askEvery
// and askTimes together end it a minute after the client's last sign of life. A client
// on a mobile network may be silent for longer than half a minute, and still answers
// the probe.
//
// While there is something to send, the system does not probe but retransmits, for a
// quarter of an hour. unheard ends that earlier: it bounds how long sent data may stay
// unacknowledged. TCP_USER_TIMEOUT would not do, because it would also end a client
// that lives and does not read: such a client, stopped in a debugger for example,
// acknowledges what it has room for, and may be as slow as it likes.
const (
	askAfter = 30 * time.Second
	askEvery = 10 * time.Second
	askTimes = 3

	unheard   = time.Minute
	lookEvery = 15 * time.Second // between two looks at what was acknowledged
)

// keepAsking configures the system's probes of a connection.
func keepAsking(nc *net.TCPConn) error {
	return nc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: askAfter, Interval: askEvery, Count: askTimes})
}

// endWhenVanished closes nc when sent data has stayed unacknowledged for too long, as
// silence reports, and returns then or when ctx ends.
func (s *Server) endWhenVanished(ctx context.Context, nc net.Conn, silence func() time.Duration) {
	err := fault.Guard("server.endWhenVanished", func() error {
		if lasts := untilVanished(ctx, silence); lasts > 0 {
			s.opts.Logger.Warn("a client has vanished", "peer", nc.RemoteAddr().String(), "unacknowledged", lasts)
			_ = nc.Close() // the connection is lost in any case
		}
		return nil
	})
	if err != nil {
		s.opts.Logger.Error("a client that vanishes will not be noticed", "peer", nc.RemoteAddr().String(), "err", err)
	}
}

// untilVanished returns how long the client has been silent, as soon as that is too long;
// 0 when ctx ends before.
func untilVanished(ctx context.Context, silence func() time.Duration) time.Duration {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-look.C:
		}
		if lasts := silence(); lasts >= unheard {
			return lasts
		}
	}
}
