package modeltest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Host makes a handler reachable: over loopback, in process, or both. Safe for
// concurrent use. Close it when done.
type Host struct {
	handler http.Handler
	ctx     context.Context // ends at Close and ends every request with it
	cancel  context.CancelFunc
	running sync.WaitGroup // requests and the accept loop; Close waits

	mu     sync.Mutex // guards the rest
	server *http.Server
	url    string
}

// NewHost returns a host that is reachable in process only until Listen.
func NewHost(h http.Handler) *Host {
	ctx, cancel := context.WithCancel(context.Background())
	return &Host{handler: h, ctx: ctx, cancel: cancel}
}

// Listen opens a free loopback port and returns its address, http://127.0.0.1:port.
// Later calls return the same address.
func (h *Host) Listen() (url string, err error) { return h.ListenOn("127.0.0.1:0") }

// ListenOn is Listen at an address of the caller's choice, as host:port.
func (h *Host) ListenOn(address string) (url string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != nil {
		return h.url, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", err
	}
	h.url = "http://" + l.Addr().String()
	h.server = &http.Server{Handler: http.HandlerFunc(h.serve)}
	h.running.Go(func() { _ = h.server.Serve(l) }) // returns when Close closes it
	return h.url, nil
}

// URL is Listen for tests: it panics if no port is free.
func (h *Host) URL() string {
	url, err := h.Listen()
	if err != nil {
		panic(err)
	}
	return url
}

// serve runs the handler with a context that Close ends too.
func (h *Host) serve(w http.ResponseWriter, r *http.Request) {
	h.running.Add(1)
	defer h.running.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	h.handler.ServeHTTP(w, r.WithContext(ctx))
}

// Close ends all requests, tears down connections and waits for both. Requests
// after it fail.
func (h *Host) Close() {
	h.mu.Lock()
	if h.server != nil {
		_ = h.server.Close() // an error of the listener does not matter any more
	}
	h.mu.Unlock()
	h.cancel()
	h.running.Wait()
}
