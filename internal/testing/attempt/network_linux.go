package attempt

import (
	"golang.org/x/sys/unix"
)

var network = []Attempt{
	{"TCP", func(w *World) error { return connect(unix.AF_INET, unix.SOCK_STREAM, 0, w.tcp()) }},
	{"Multipath TCP", func(w *World) error { return connect(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, w.tcp()) }},
	{"TCP fast open", func(w *World) error {
		return use(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, w.tcp())
		})
	}},
	{"UDP", func(w *World) error {
		return use(unix.AF_INET, unix.SOCK_DGRAM, 0, func(fd int) error { return unix.Sendto(fd, []byte("x"), 0, w.tcp()) })
	}},
	{"listen", func(*World) error {
		return use(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
			if err := unix.Bind(fd, &unix.SockaddrInet4{}); err != nil {
				return err
			}
			return unix.Listen(fd, 1)
		})
	}},
	{"listen without bind", func(*World) error {
		return use(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Listen(fd, 1) })
	}},
	{"socket by path", func(w *World) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: w.Stream})
	}},
	{"abstract socket", func(w *World) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: w.Abstract})
	}},
	{"datagram by path", func(w *World) error {
		return use(unix.AF_UNIX, unix.SOCK_DGRAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: w.Datagram})
		})
	}},
	{"datagram by path from a pair", func(w *World) error { return fromPair(unix.SOCK_DGRAM, w.Datagram) }},
	{"datagram by path from a raw pair", func(w *World) error { return fromPair(unix.SOCK_RAW, w.Datagram) }},
	{"socket by path from a pair", func(w *World) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		unix.Close(pair[1])
		defer unix.Close(pair[0])
		return unix.Connect(pair[0], &unix.SockaddrUnix{Name: w.Stream})
	}},
	{"socket pair", func(*World) error {
		return second(unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0))
	}},
	{"netlink", func(*World) error { return use(unix.AF_NETLINK, unix.SOCK_RAW, 0, nil) }},
	{"vsock", call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM)},
	{"vsock with a high bit", call(unix.SYS_SOCKET, 1<<32|unix.AF_VSOCK, unix.SOCK_STREAM)},
	{"AF_ALG", call(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET)},
	{"packets", call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW)},
}

func (w *World) tcp() unix.Sockaddr {
	return &unix.SockaddrInet4{Port: w.Port, Addr: [4]byte{127, 0, 0, 1}}
}

func connect(family, kind, protocol int, to unix.Sockaddr) error {
	return use(family, kind, protocol, func(fd int) error { return unix.Connect(fd, to) })
}

// use makes a socket, which it closes after do.
func use(family, kind, protocol int, do func(fd int) error) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if do == nil {
		return nil
	}
	return do(fd)
}

// fromPair sends a datagram to a socket that is not the other end of a pair.
func fromPair(kind int, path string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
}
