package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/netip"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The numbers of SOCKS5. Source: RFC 1928.
const (
	socksVersion  = 5
	noPassword    = 0
	noMethod      = 0xff
	socksConnect  = 1
	addressIPv4   = 1
	addressDomain = 3
	addressIPv6   = 4
)

// socks serves a SOCKS5 connection.
func (s *server) socks(ctx context.Context, c *client) {
	methods, err := readCounted(c.r, 1)
	if err != nil {
		return
	}
	if !bytes.Contains(methods, []byte{noPassword}) {
		_, _ = c.Write([]byte{socksVersion, noMethod})
		return
	}
	if _, err := c.Write([]byte{socksVersion, noPassword}); err != nil {
		return
	}
	to, f, err := readSocksRequest(c.r)
	if err != nil {
		return
	}
	if f != nil {
		s.remember(f)
		c.reply(f.reply)
		return
	}
	far, f := s.connect(ctx, to)
	if f != nil {
		c.reply(f.reply)
		return
	}
	defer s.drop(far)
	l := newLink(c.Conn, far)
	if c.reply(0) == nil {
		l.both(c.r)
	}
}

// readCounted skips bytes, the last of which is a length, and returns as many bytes.
func readCounted(r io.Reader, skip int) ([]byte, error) {
	head := make([]byte, skip+1)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	rest := make([]byte, head[skip])
	_, err := io.ReadFull(r, rest)
	return rest, err
}

// readSocksRequest reads what to connect to.
func readSocksRequest(r io.Reader) (permit.Connection, *failure, error) {
	var head [4]byte // version, command, reserved, kind of address
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return permit.Connection{}, nil, err
	}
	var host []byte
	var err error
	switch head[3] {
	case addressIPv4:
		host = make([]byte, 4)
		_, err = io.ReadFull(r, host)
	case addressIPv6:
		host = make([]byte, 16)
		_, err = io.ReadFull(r, host)
	case addressDomain:
		host, err = readCounted(r, 0)
	default:
		return permit.Connection{}, &failure{reply: replyAddress}, nil
	}
	var port [2]byte
	if err == nil {
		_, err = io.ReadFull(r, port[:])
	}
	switch {
	case err != nil:
		return permit.Connection{}, nil, err
	case head[0] != socksVersion:
		return permit.Connection{}, &failure{reply: replyFailed}, nil
	case head[1] != socksConnect:
		return permit.Connection{}, &failure{reply: replyCommand}, nil
	}
	text := string(host)
	if ip, ok := netip.AddrFromSlice(host); ok && head[3] != addressDomain {
		text = ip.String()
	}
	to, f := plainTarget(text, binary.BigEndian.Uint16(port[:]))
	return to, f, nil
}

// reply answers a SOCKS5 request. The address in it is none: it has no use for CONNECT.
func (c *client) reply(code byte) error {
	_, err := c.Write([]byte{socksVersion, code, 0, addressIPv4, 0, 0, 0, 0, 0, 0})
	return err
}
