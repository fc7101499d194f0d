package modeltest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Transport returns a RoundTripper that calls the handler without a socket,
// for every host that a request names. Nothing is buffered: a write of the handler
// waits for the client's read.
func (h *Host) Transport() http.RoundTripper { return inProcess{h} }

type inProcess struct{ host *Host }

// RoundTrip implements [http.RoundTripper].
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.host.ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	w := newResponse(cancel)
	stop := context.AfterFunc(ctx, func() { w.end(context.Cause(ctx)) })
	in := incoming(r.WithContext(ctx))
	t.host.running.Go(func() {
		defer stop()
		w.run(func() { t.host.serve(w, in) })
	})
	<-w.begun // at the latest when ctx ends
	if w.failed != nil {
		cancel()
		return nil, w.failed
	}
	return w.client(r), nil
}

// incoming is r as a server sees it.
func incoming(r *http.Request) *http.Request {
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// response is a ResponseWriter whose body is a pipe.
type response struct {
	cancel context.CancelFunc
	header http.Header // the handler's, until begun
	out    *io.PipeWriter
	in     *io.PipeReader

	once   sync.Once
	begun  chan struct{} // closed once the next three are fixed
	status int
	sent   http.Header
	failed error
}

func newResponse(cancel context.CancelFunc) *response {
	in, out := io.Pipe()
	return &response{cancel: cancel, header: http.Header{}, in: in, out: out, begun: make(chan struct{})}
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

// Flush implements [http.Flusher].
func (w *response) Flush() { w.WriteHeader(http.StatusOK) }

// end ends the response with err, if it has not ended yet.
func (w *response) end(err error) {
	w.once.Do(func() {
		w.failed = err
		close(w.begun)
	})
	_ = w.out.CloseWithError(err) // never fails
}

// run calls the handler and ends the response as it ends.
func (w *response) run(handler func()) {
	defer func() {
		switch p := recover(); p {
		case nil:
			w.WriteHeader(http.StatusOK)
			_ = w.out.Close() // never fails
		case http.ErrAbortHandler:
			w.end(io.ErrUnexpectedEOF)
		default:
			panic(p)
		}
	}()
	handler()
}

// client is the response as the client sees it.
func (w *response) client(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Header: w.sent,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: w, ContentLength: -1, Request: r,
	}
}

// Read and Close are the client's side of the body.
func (w *response) Read(p []byte) (int, error) { return w.in.Read(p) }

func (w *response) Close() error {
	w.cancel()
	return w.in.Close()
}
