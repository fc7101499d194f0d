package server

import (
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the peer has closed the connection, also if what it sent before has not
// been read yet, or the connection has been closed here.
func hungUp(nc syscall.Conn) bool {
	raw, err := nc.SyscallConn()
	if err != nil {
		return false
	}
	hung := false
	err = raw.Control(func(fd uintptr) {
		about := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}} // POLLHUP and POLLERR are reported in any case
		n, err := unix.Poll(about, 0)
		hung = err == nil && n > 0
	})
	return hung || err != nil
}

// unacknowledged returns how long the peer has sent no acknowledgement although sent
// data waits for one; 0 if none does.
func unacknowledged(nc *net.TCPConn) time.Duration {
	raw, err := nc.SyscallConn()
	if err != nil {
		return 0
	}
	var info syscall.TCPInfo
	known := false
	err = raw.Control(func(fd uintptr) {
		size := uint32(unsafe.Sizeof(info))
		_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		known = errno == 0
	})
	if err != nil || !known || info.Unacked == 0 {
		return 0
	}
	return time.Duration(info.Last_ack_recv) * time.Millisecond
}
