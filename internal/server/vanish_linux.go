package server

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// established is the state of a TCP connection that neither side has begun to close, as
// linux/tcp_states.h has it.
const established = 1

// hungUp reports whether the peer has closed the connection, even if this program has not read
// everything that the peer sent, or whether this program has closed it. It works for TCP only.
func hungUp(nc syscall.Conn) bool {
	info, known, err := tcpInfo(nc)
	return err != nil || known && info.State != established
}

// unacknowledged returns how long the peer has sent no acknowledgement although sent
// data waits for one; 0 if none does.
func unacknowledged(nc *net.TCPConn) time.Duration {
	info, known, err := tcpInfo(nc)
	if err != nil || !known || info.Unacked == 0 {
		return 0
	}
	return time.Duration(info.Last_ack_recv) * time.Millisecond
}

// tcpInfo returns the system's data about a TCP connection; known is false for any other
// connection. An error means that this program has closed the connection.
func tcpInfo(nc syscall.Conn) (info syscall.TCPInfo, known bool, err error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return info, false, err
	}
	err = raw.Control(func(fd uintptr) {
		size := uint32(unsafe.Sizeof(info))
		_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		known = errno == 0
	})
	return info, known, err
}
