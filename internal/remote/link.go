package remote

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

const (
	// dialTime bounds making a connection, with its handshake.
	dialTime = 10 * time.Second
	// callTime bounds a call that the server answers at once. Hooks may keep a message waiting, so
	// the caller bounds those calls.
	callTime = 30 * time.Second
	// shellTime bounds a command of the user. The server answers after ten minutes at most.
	shellTime = 11 * time.Minute
)

// Options says where a server is. All but Logger are required; Token may be empty.
type Options struct {
	// Dial makes a connection to the server.
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)
	// Address is the server as the user names it.
	Address string
	// Token is the connection token that the server wants; "" for none.
	Token string
	// Logger gets what cannot be read. nil: nothing does.
	Logger *slog.Logger
}

// Link is a connection to a server that is made again when it is lost. It is safe for concurrent
// use.
type Link struct {
	Options

	mu     sync.Mutex // held while a connection is made, so that there is one
	client *client.Client
}

// Connect connects to a server. [Link.Close] must follow.
func Connect(ctx context.Context, o Options) (*Link, error) {
	l := &Link{Options: o}
	_, err := l.connected(ctx, nil)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Close ends the connection. The server keeps the sessions.
func (l *Link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		return nil
	}
	return l.client.Close()
}

// connected is the connection: a new one if there is none, or if it has ended, or is the one that
// has failed.
func (l *Link) connected(ctx context.Context, failed *client.Client) (*client.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client != nil && l.client != failed && !ended(l.client) {
		return l.client, nil
	}
	if l.client != nil {
		_ = l.client.Close() // it has failed
	}
	c, err := l.dial(ctx)
	if err == nil {
		l.client = c
	}
	return c, err
}

func ended(c *client.Client) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// dial makes a connection.
func (l *Link) dial(ctx context.Context) (*client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	rwc, err := l.Dial(ctx)
	if err != nil {
		return nil, &fault.Error{
			Op: "remote.Connect", On: l.Address, Kind: fault.Unavailable, Err: err,
			Hint: "check the address, and that sidestick serve or sidestick --server runs there",
		}
	}
	c := client.New(rwc, client.Options{Logger: l.Logger})
	if err := c.Connect(ctx, l.Token); err != nil {
		_ = c.Close() // it is of no use
		return nil, l.refused("connect", err)
	}
	return c, nil
}

// call calls a method on a connection. ctx that has no deadline ends after callTime.
func (l *Link) call(ctx context.Context, c *client.Client, method string, params, result any) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTime)
		defer cancel()
	}
	err := c.Call(ctx, method, params, result)
	if e := new(jsonrpc.Error); err != nil && !errors.As(err, &e) {
		return unanswered{l.refused(method, err)}
	}
	return l.refused(method, err)
}

// unanswered is the error of a call that the server may have carried out.
type unanswered struct{ error }

func (u unanswered) Unwrap() error { return u.error }

// Unanswered reports whether an error says that the server did not answer a call: the time was over, or
// the connection was lost. The server may have carried the call out.
func Unanswered(err error) bool { return errors.As(err, new(unanswered)) }

// Call calls a method that is of no session. The server answers it at once.
func (l *Link) Call(ctx context.Context, method string, params, result any) error {
	c, err := l.connected(ctx, nil)
	if err != nil {
		return err
	}
	return l.call(ctx, c, method, params, result)
}

// kinds are the kinds of the codes that a server of this program answers with.
var kinds = []struct {
	code int64
	kind fault.Kind
}{
	{jsonrpc.InvalidParams, fault.Invalid},
	{-32001, fault.NotFound},
	{-32002, fault.Conflict},
	{-32003, fault.Denied},
	{-32004, fault.Unavailable},
	{jsonrpc.RequestCancelled, fault.Canceled},
	{jsonrpc.MethodNotFound, fault.NotFound},
	{jsonrpc.InvalidRequest, fault.Denied},
	{jsonrpc.Overloaded, fault.Unavailable},
}

// refused is the error of a call, in the form of this program's own.
func (l *Link) refused(method string, err error) error {
	var e *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		out := &fault.Error{Op: method, Kind: fault.Internal, Err: refusal{e, method}}
		for _, k := range kinds {
			if int64(e.Code) == k.code {
				out.Kind = k.kind
			}
		}
		if authentication(e) {
			out.On, out.Hint = l.Address, "set COPILOT_CONNECTION_TOKEN to the connection token of the server"
		}
		return out
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, method, l.Address, "the server has not answered in time")
	}
	return err
}

// refusal is the text of an error of the server, without the name of the method, which means nothing
// to a user.
type refusal struct {
	of     *jsonrpc.Error
	method string
}

func (r refusal) Error() string {
	rest, named := strings.CutPrefix(r.of.Message, r.method)
	if !named || rest == "" {
		return r.of.Message
	}
	return strings.TrimLeft(rest, ": ")
}

func (r refusal) Unwrap() error { return r.of }

// authentication reports whether a server wants another connection token.
func authentication(e *jsonrpc.Error) bool {
	return strings.HasPrefix(e.Message, "AUTHENTICATION_FAILED")
}

// lacks reports whether the server does not have the method that was called.
func lacks(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.MethodNotFound
}
