package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds of a connection. The body of a request and the pieces of an answer have bounds
// of their own.
const (
	headerTime = 10 * time.Second // for the head of a request
	idleTime   = 2 * time.Minute  // between two requests
	maxHeader  = 64 << 10         // bytes
	endTime    = 3 * time.Second  // for answers to report that the program ends
)

// Listen serves the connections that l accepts, as many as Options.Connections at once, until ctx ends. Then clients that wait
// for an answer are told that the program ends; the runs under way end with their
// sessions, and questions that are open stay open. Listen returns when no request is
// under way any more; the error is nil if ctx ended it.
func (d *Door) Listen(ctx context.Context, l net.Listener) error {
	serving, endRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func() {
		endRequests(errShutdown)
		d.end(errShutdown)
	}
	defer end()
	srv := &http.Server{
		Handler: d, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return serving },
		ConnContext: d.guests.admit, ConnState: d.guests.changed,
		ErrorLog: slog.NewLogLogger(d.opts.Logger.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		end()
		return errors.Join(err, d.shutdown(srv))
	case <-ctx.Done():
	}
	end()
	err := d.shutdown(srv)
	<-failed
	return err
}

// shutdown waits for the requests under way, whose contexts have ended, and cuts off
// those that take too long.
func (d *Door) shutdown(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	err := srv.Shutdown(ctx)
	if err != nil {
		err = srv.Close()
	}
	for range cap(d.answers) { // each slot taken here is one answer that has ended
		d.answers <- struct{}{}
	}
	for range cap(d.answers) {
		<-d.answers
	}
	return err
}
