package proxy

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// maxResponseHead bounds the head of a response, in bytes, as in package dial.
const maxResponseHead = 256 << 10

// mostInterim bounds the interim responses (status 1xx) before the response.
const mostInterim = 8

// forward sends a request on and its response back. It closes both connections.
func (s *server) forward(c *client, far net.Conn, req *http.Request, to permit.Connection) {
	l := newLink(c.Conn, far)
	if tokens(req.Header, "Expect")["100-continue"] {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return
		}
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = s.send(l.writer(far), req, to) // a server that has enough answers and closes
	}()
	resp, err := readResponse(l.reader(far), req)
	if err != nil {
		s.drop(far) // ends the sending
		c.fail(&failure{http.StatusBadGateway, replyFailed, "no response of " + to.String() + ": " + err.Error(), "Try again later; the rules of the sandbox allow this host."})
	} else if writeResponse(l.writer(c.Conn), resp, req) == nil {
		closeWrite(c.Conn)
		select { // the client may still be sending
		case <-sent:
		case <-time.After(lingerTime):
		}
	}
	s.drop(far)
	s.drop(c.Conn)
	<-sent
}

// send writes a request for the server, or for the upstream proxy.
func (s *server) send(w io.Writer, req *http.Request, to permit.Connection) error {
	out := req.WithContext(req.Context())
	out.Header = req.Header.Clone()
	removeHopHeaders(out.Header)
	out.Header.Del("Expect") // it is answered already
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", "") // otherwise net/http names itself
	}
	u := *req.URL
	u.Host = strings.TrimSuffix(to.String(), ":80")
	out.URL, out.Host, out.Close = &u, u.Host, true
	bw := bufio.NewWriter(w)
	if out.Body != http.NoBody {
		out.Body = &flushing{req.Body, bw}
	}
	var err error
	if s.upstream == nil {
		err = out.Write(plainWriter{bw, bw})
	} else {
		s.upstream.authorize(out.Header)
		err = out.WriteProxy(plainWriter{bw, bw})
	}
	return errors.Join(err, bw.Flush())
}

// flushing is a body that is copied to w. Before each read, which may wait, it sends what is
// in w on, so that a slow body arrives piece by piece.
type flushing struct {
	io.ReadCloser
	w *bufio.Writer
}

func (f *flushing) Read(p []byte) (int, error) {
	if err := f.w.Flush(); err != nil {
		return 0, err
	}
	return f.ReadCloser.Read(p)
}

// plainWriter hides that a [bufio.Writer] can read by itself, during which it may not be
// flushed. With WriteByte, net/http puts no second buffer before it.
type plainWriter struct {
	io.Writer
	io.ByteWriter
}

// readResponse reads the head of the response; its body is read later.
func readResponse(r io.Reader, req *http.Request) (*http.Response, error) {
	limited := &io.LimitedReader{R: r, N: maxResponseHead}
	br := bufio.NewReader(limited)
	for range mostInterim {
		resp, err := http.ReadResponse(br, req)
		switch {
		case err != nil && limited.N <= 0:
			return nil, errors.New("its head has more than 256 KiB")
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("it changes the protocol, and the request did not ask for that")
		case resp.StatusCode >= 200:
			limited.N = math.MaxInt64
			return resp, nil
		}
	}
	return nil, errors.New("it sends only interim responses")
}

// writeResponse writes a response in the framing that the client understands.
func writeResponse(w io.Writer, resp *http.Response, req *http.Request) error {
	defer resp.Body.Close()
	removeHopHeaders(resp.Header)
	resp.ProtoMajor, resp.ProtoMinor, resp.Close = 1, 1, true
	switch {
	case !req.ProtoAtLeast(1, 1):
		resp.TransferEncoding = nil
	case resp.ContentLength < 0: // so that the client can tell a response that was cut off
		resp.TransferEncoding = []string{"chunked"}
	}
	bw := bufio.NewWriter(w)
	resp.Body = &flushing{resp.Body, bw}
	return errors.Join(resp.Write(plainWriter{bw, bw}), bw.Flush())
}

// removeHopHeaders removes the headers that are about one connection, and all for proxies.
// Source: RFC 9110, section 7.6.1.
func removeHopHeaders(h http.Header) {
	listed := tokens(h, "Connection")
	for name := range h {
		lower := strings.ToLower(name)
		if listed[lower] || strings.HasPrefix(lower, "proxy-") {
			delete(h, name)
		}
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings"} {
		h.Del(name)
	}
}
