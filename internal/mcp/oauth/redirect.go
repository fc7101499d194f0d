package oauth

import (
	"context"
	"crypto/subtle"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// redirect listens on this machine for the browser that comes back from the authorization server.
type redirect struct {
	url     string
	state   string
	done    string // the text of the page for the user
	server  *http.Server
	answer  chan url.Values // capacity 1
	threads sync.WaitGroup
}

const redirectPath = "/callback"

// listen starts to listen. The caller must call close.
func listen(state, done string) (*redirect, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	r := &redirect{url: "http://127.0.0.1:" + strconv.Itoa(port) + redirectPath, state: state, done: done, answer: make(chan url.Values, 1)}
	r.server = &http.Server{
		Handler: http.HandlerFunc(r.serve), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10,
	}
	r.threads.Go(func() { _ = r.server.Serve(&few{Listener: l}) }) // ends with close
	return r, nil
}

// serve answers the browser. A request without the right state does not belong to this sign-in,
// and does not end it: any page can send a browser here.
func (r *redirect) serve(w http.ResponseWriter, q *http.Request) {
	sent := q.URL.Query()
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	if q.Method != http.MethodGet || q.URL.Path != redirectPath || "http://"+q.Host+redirectPath != r.url {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	if subtle.ConstantTimeCompare([]byte(sent.Get("state")), []byte(r.state)) != 1 {
		http.Error(w, "This address belongs to another sign-in.", http.StatusBadRequest)
		return
	}
	text := r.done
	if sent.Get("code") == "" {
		text = "You are not signed in. You can close this page."
	}
	select {
	case r.answer <- sent:
	default:
		text = "This page has been used already."
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html><title>Sidestick</title><p>" + html.EscapeString(text) + "</p>\n"))
}

// maxConnections is how many connections a sign-in has at once. A browser needs one or two.
const maxConnections = 32

// few is a listener with at most maxConnections connections. It closes all others at once, so that no
// program of this machine can take all file descriptors.
type few struct {
	net.Listener
	open atomic.Int32
}

// Accept implements [net.Listener].
func (f *few) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if f.open.Add(1) <= maxConnections {
			return &counted{Conn: c, listener: f}, nil
		}
		f.open.Add(-1)
		_ = c.Close()
	}
}

// counted is a connection that its listener counts until it is closed.
type counted struct {
	net.Conn
	listener *few
	once     sync.Once
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.once.Do(func() { c.listener.open.Add(-1) })
	return c.Conn.Close()
}

// closeTime bounds the wait for the browser to read its page.
const closeTime = time.Second

// close stops listening, and waits for that.
func (r *redirect) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if r.server.Shutdown(ctx) != nil {
		_ = r.server.Close()
	}
	r.threads.Wait()
}
