package proxy

import (
	"io"
	"net"
	"time"
)

// link is a client's connection and the one that was opened for it. Bytes in either direction
// keep both open for another [idleTime].
type link struct{ near, far net.Conn }

func newLink(near, far net.Conn) *link {
	l := &link{near, far}
	l.touch()
	return l
}

// touch starts the limit on silence again.
func (l *link) touch() {
	end := time.Now().Add(idleTime)
	_ = l.near.SetDeadline(end)
	_ = l.far.SetDeadline(end)
}

// both copies in both directions until both have ended. The end of one direction is passed
// on, and the other one continues. near reads what the client sends.
func (l *link) both(near io.Reader) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.copy(l.far, near)
	}()
	l.copy(l.near, l.far)
	<-done
}

// copy copies until the end of from, or an error, which ends the other direction too.
func (l *link) copy(to net.Conn, from io.Reader) {
	_, err := io.Copy(onlyWriter{l.writer(to)}, onlyReader{l.reader(from)})
	if err != nil {
		_ = l.near.Close()
		_ = l.far.Close()
		return
	}
	closeWrite(to)
}

// onlyReader and onlyWriter hide the further methods of a value, by which [io.Copy] would not
// call Read or Write.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)

// reader and writer call touch at each read and write.
func (l *link) reader(r io.Reader) io.Reader { return touching{l, r, nil} }
func (l *link) writer(w io.Writer) io.Writer { return touching{l, nil, w} }

type touching struct {
	l *link
	r io.Reader
	w io.Writer
}

func (t touching) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	if n > 0 {
		t.l.touch()
	}
	return n, err
}

func (t touching) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	if n > 0 {
		t.l.touch()
	}
	return n, err
}

// closeWrite passes on that no more bytes follow. A connection that has only one end for both
// directions is closed.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
