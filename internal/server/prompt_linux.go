package server

import (
	"net"
	"syscall"
)

// prompt is a connection that acknowledges at once what it has read. The SDKs for Node and Python send the head of a
// message and its body apart, and their system keeps the body back until the head is acknowledged. By default the
// system delays that by 40 ms.
type prompt struct {
	*net.TCPConn
	raw syscall.RawConn
}

// promptly returns nc as a connection that acknowledges at once.
func promptly(nc *net.TCPConn) net.Conn {
	raw, err := nc.SyscallConn()
	if err != nil {
		return nc // it is closed
	}
	return &prompt{nc, raw}
}

// Read asks for it each time: the system goes back to its default by itself.
func (p *prompt) Read(b []byte) (int, error) {
	n, err := p.TCPConn.Read(b)
	_ = p.raw.Control(acknowledge) // fails on a closed connection only
	return n, err
}

func acknowledge(fd uintptr) {
	_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
}
