package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A call over a WebSocket is one message, and each message of the answer becomes an event of a
// stream. A connection is kept for the next call to the same address with the same headers, one
// call at a time, because opening one takes as long as a short answer.

const (
	// socketIdle is how long a connection is kept without a call.
	socketIdle = 5 * time.Minute
	// socketAge is how old a connection may get: OpenAI closes it after 60 minutes.
	socketAge = 50 * time.Minute
	// socketOpening bounds opening a connection, as long as a connection for HTTP may take: a proxy that has no
	// WebSockets may keep the request without an answer.
	socketOpening = 15 * time.Second
)

// sockets makes calls over WebSockets. Safe for concurrent use.
type sockets struct {
	http http.Client // opens connections

	mu     sync.Mutex
	idle   map[[32]byte][]*socket // by [listingKey]
	closed bool
}

// socket is a connection. One call uses it, or it is idle.
type socket struct {
	conn   *websocket.Conn
	key    [32]byte
	opened time.Time
	expire *time.Timer // of an idle one
}

// RoundTrip sends the body of req as a message, and returns the answer as a stream of events. If a
// connection that was kept turns out to be closed, the message goes over another one.
func (p *sockets) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	message, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	key := listingKey(req.URL, req.Header, &Endpoint{})
	for {
		s := p.take(key)
		kept := s != nil
		if !kept {
			conn, resp, err := p.open(req)
			if err != nil {
				return refusedHandshake(resp, err)
			}
			conn.SetReadLimit(maxEvent)
			s = &socket{conn: conn, key: key, opened: time.Now()}
		}
		body := &messages{ctx: ctx, of: p, socket: s}
		if err = s.conn.Write(ctx, websocket.MessageText, message); err == nil {
			err = body.next()
		}
		if err == nil {
			return &http.Response{
				Status: "OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
				Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req, Body: body,
			}, nil
		}
		_ = s.conn.CloseNow()
		if !kept || ctx.Err() != nil {
			return nil, err
		}
	}
}

// open opens a connection.
func (p *sockets) open(req *http.Request) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), socketOpening)
	defer cancel()
	return websocket.Dial(ctx, req.URL.String(), &websocket.DialOptions{HTTPClient: &p.http, HTTPHeader: req.Header})
}

// refusedHandshake is the server's answer, if there is one: it says why there is no connection.
func refusedHandshake(resp *http.Response, err error) (*http.Response, error) {
	if resp == nil || resp.StatusCode/100 == 2 || resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, err
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	return resp, nil
}

// noWebSocketHere reports whether the answer to a handshake shows that the address has no WebSockets, or that
// a proxy does not let them through. Any other status, such as 401 or 429, is about the call.
func noWebSocketHere(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUpgradeRequired, http.StatusNotImplemented:
		return true
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "text/html" && resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests
}

// connected reports whether a call failed after the connection to its host, or to a proxy, was made. Before that,
// the network does not work, and HTTP would not work either.
func connected(err error) bool {
	var name *net.DNSError
	var dialed *net.OpError
	var proxy *proxyRefusal
	var certificate *tls.CertificateVerificationError
	dialing := errors.As(err, &dialed) && (dialed.Op == "dial" || dialed.Op == "proxyconnect")
	return !dialing && !errors.As(err, &name) && !errors.As(err, &proxy) && !errors.As(err, &certificate)
}

// take returns an idle connection, nil if there is none.
func (p *sockets) take(key [32]byte) *socket {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	s := list[len(list)-1]
	p.remove(s)
	s.expire.Stop()
	return s
}

// remove takes a connection out of the idle ones, and reports whether it was there. The caller
// holds mu.
func (p *sockets) remove(s *socket) bool {
	list := p.idle[s.key]
	i := slices.Index(list, s)
	if i < 0 {
		return false
	}
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		delete(p.idle, s.key)
	} else {
		p.idle[s.key] = list
	}
	return true
}

// keep makes a connection idle, or closes it if it is too old.
func (p *sockets) keep(s *socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || time.Since(s.opened) > socketAge {
		_ = s.conn.CloseNow()
		return
	}
	if p.idle == nil {
		p.idle = map[[32]byte][]*socket{}
	}
	p.idle[s.key] = append(p.idle[s.key], s)
	s.expire = time.AfterFunc(socketIdle, func() {
		p.mu.Lock()
		unused := p.remove(s)
		p.mu.Unlock()
		if unused {
			_ = s.conn.CloseNow()
		}
	})
}

// close closes the idle connections; those in use are closed after their calls.
func (p *sockets) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, list := range p.idle {
		for _, s := range list {
			s.expire.Stop()
			_ = s.conn.CloseNow()
		}
	}
	p.idle = nil
}

// messages are the messages of one answer as a stream of events. It ends with the message that
// ends the answer.
type messages struct {
	ctx    context.Context
	of     *sockets
	socket *socket
	rest   []byte
	ended  bool // the last message has come
	whole  bool // it ends an answer, so that the connection can be used again
	closed bool
}

// next reads a message.
func (m *messages) next() error {
	_, data, err := m.socket.conn.Read(m.ctx)
	switch {
	case websocket.CloseStatus(err) == websocket.StatusNormalClosure:
		return io.EOF
	case err != nil:
		return err
	}
	m.whole, m.ended = endsAnswer(data)
	m.rest = append(append([]byte("data: "), bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))...), "\n\n"...)
	return nil
}

// endsAnswer reports whether a message is the last one of an answer or of a failed call.
func endsAnswer(data []byte) (whole, last bool) {
	var message struct {
		Type string `json:"type"`
	}
	if !bytes.Contains(data, []byte(`"error"`)) && !bytes.Contains(data, []byte(`"response.`)) || json.Unmarshal(data, &message) != nil {
		return false, false
	}
	whole = message.Type == "response.completed" || message.Type == "response.incomplete" || message.Type == "response.failed"
	return whole, whole || message.Type == "error"
}

// Read returns what comes next of the stream.
func (m *messages) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		if m.ended {
			return 0, io.EOF
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close ends the call. Only a connection whose answer is complete can be used again.
func (m *messages) Close() error {
	switch {
	case m.closed:
	case m.whole:
		m.of.keep(m.socket)
	default:
		_ = m.socket.conn.CloseNow()
	}
	m.closed = true
	return nil
}
