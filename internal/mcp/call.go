package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// callTime is how long a call may take if the configuration of its server names no time. Many
// servers wait for a build or a browser.
const callTime = 10 * time.Minute

// progressPause is the least time between two reports about one call.
const progressPause = 100 * time.Millisecond

// call is a call that is running.
type call struct {
	tool.Call
	context  context.Context // ends with the call
	patience *patience       // its time
	reported time.Time
	complete bool // the server has reported that everything is done
}

// How often one call is sent: once more if the first one cannot have done anything, or may be repeated. Other calls can use
// up a new session of a server that forgets often before the repeated one comes.
const (
	maxSends  = 2
	maxForgot = 5
)

// sends is how often a call is sent that has failed like this.
func (n *connection) sends(err error) int {
	if errors.Is(err, errForgotten) && n.answered.Load() {
		return maxForgot
	}
	return maxSends
}

// Run implements [tool.Tool].
func (t *Tool) Run(ctx context.Context, c tool.Call) tool.Result {
	limit := callTime
	if t.timeout > 0 {
		limit = t.timeout
	}
	outer := ctx
	ctx, p, end := newPatience(ctx, limit, errTooLong)
	defer end()
	for sent := 1; ; sent++ {
		n, err := t.current(ctx)
		var res *sdk.CallToolResult
		if err == nil {
			res, err = t.send(ctx, n, c, p)
		}
		switch {
		case err == nil:
			n.answered.Store(true)
			return t.result(res)
		case context.Cause(ctx) == errTooLong:
			return tool.Result{Outcome: tool.Timeout, Text: fmt.Sprintf("MCP server '%s' did not answer the call of '%s' within %v.", t.definition.Server, t.definition.ServerTool, limit)}
		case outer.Err() != nil: // the run was aborted
			return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
		case n == nil:
			return tool.Result{Outcome: tool.Failure, Text: fmt.Sprintf("MCP server '%s': %s", t.definition.Server, fault.Message(err))}
		case sent >= n.sends(err) || !t.repeats(n, err):
			return tool.Result{Outcome: tool.Failure, Text: n.refusal(err)}
		}
	}
}

var errTooLong = errors.New("the call took too long")

// current returns the connection on which the tool is called: that on which it was listed, or the one that has taken
// its place, if the tool is the same there.
func (t *Tool) current(ctx context.Context) (*connection, error) {
	n, l, err := t.connection.server.usable(ctx, t.definition.Server)
	if err != nil || n == t.connection {
		return n, err
	}
	name := t.definition.ServerTool
	if is, ok := l.definitions[name]; !ok || is != t.definitions[name] || !bytes.Equal(n.config.text, t.connection.config.text) {
		return nil, fault.New(fault.Conflict, "mcp", t.definition.Server, "the server has started again, and the tool %s is another one now, or gone", name)
	}
	return n, nil
}

// send calls the tool once.
func (t *Tool) send(ctx context.Context, n *connection, c tool.Call, p *patience) (*sdk.CallToolResult, error) {
	ctx, token, ended, err := n.began(ctx, c, p)
	if err != nil {
		return nil, err
	}
	defer ended()
	params := &sdk.CallToolParams{Name: t.definition.ServerTool, Arguments: c.Arguments}
	params.Meta = n.server.set.opts.Host.Meta(ctx, c, n.server.name, params.Name, nil)
	for _, own := range []string{sdk.MetaKeyProtocolVersion, sdk.MetaKeyClientInfo, sdk.MetaKeyClientCapabilities} {
		delete(params.Meta, own) // the SDK sets them, and no hook does
	}
	params.SetProgressToken(token)
	return n.client.CallTool(ctx, params)
}

// repeats reports whether a call that failed may be sent once more: the server has not carried it out, or the tool
// changes nothing more when it does so again. A program that ends during a call is not called again.
func (t *Tool) repeats(n *connection, err error) bool {
	var away *outage
	switch {
	case errors.As(err, &away) && away.status == http.StatusTooManyRequests:
		return false // it was sent again already, after the time that the server wanted
	case errors.Is(err, errForgotten) || errors.Is(err, errRetired) || away != nil && away.unsent():
		return true
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code == sdk.CodeHeaderMismatch && n.remote != nil {
		n.leave(errHeaders) // another connection lists the tools again, and what belongs into headers with them
		return true
	}
	hints := t.described.Annotations
	safe := hints != nil && (hints.ReadOnlyHint || hints.IdempotentHint)
	return safe && n.remote != nil && n.replaceable() && (away != nil && away.passes() || away == nil && !errors.As(err, &refused))
}

// refusal says why a call failed, for the model.
func (n *connection) refusal(err error) string {
	if lack := (*narrow)(nil); errors.As(err, &lack) {
		return fmt.Sprintf("MCP server '%s': %s", n.server.name, lack)
	}
	var away *outage
	if errors.As(err, &away) {
		return fmt.Sprintf("MCP server '%s' did not answer: %s", n.server.name, away)
	}
	if errors.Is(err, errForgotten) {
		return fmt.Sprintf("MCP server '%s': %s again", n.server.name, errForgotten)
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && n.context.Err() == nil {
		if refused.Code == sdk.CodeMissingRequiredClientCapabilities {
			return fmt.Sprintf("MCP server '%s': %v", n.server.name, explained(err))
		}
		return fmt.Sprintf("MCP server '%s': %s", n.server.name, fault.Bounded(refused.Message))
	}
	select {
	case <-n.lost:
		return fmt.Sprintf("MCP server '%s' has ended: %s", n.server.name, fault.Message(n.failure(nil)))
	default:
	}
	return fmt.Sprintf("MCP server '%s' did not answer: %v", n.server.name, err)
}

// errRetired says that a call was not sent, because its connection is closed when the calls that began before have ended.
var errRetired = errors.New("another connection takes the place of this one")

// callKey is the key of a call in its context, which what the server asks with an answer to it inherits.
type callKey struct{}

// began notes that a call is running, until ended is called. token names it in reports about
// its progress. The context ends with the call, and with the connection. The error is errRetired.
func (n *connection) began(ctx context.Context, c tool.Call, p *patience) (_ context.Context, token int64, ended func(), err error) {
	n.calls.Lock()
	defer n.calls.Unlock()
	if n.retired {
		return nil, 0, nil, errRetired
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(n.context, cancel)
	n.token++
	token = n.token
	one := &call{Call: c, context: ctx, patience: p}
	n.progress[token] = one
	return context.WithValue(ctx, callKey{}, one), token, func() {
		stop()
		cancel()
		n.calls.Lock()
		defer n.calls.Unlock()
		delete(n.progress, token)
		if n.retired && len(n.progress) == 0 {
			n.emptied()
		}
	}, nil
}

// callOf returns the call that a request of the server belongs to: the one it is an answer to, or the one that is
// running; the zero Call if there is another number.
func (n *connection) callOf(ctx context.Context) tool.Call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c.Call
	}
	n.calls.Lock()
	defer n.calls.Unlock()
	if len(n.progress) == 1 {
		for _, c := range n.progress {
			return c.Call
		}
	}
	return tool.Call{}
}

// duringCalls returns a context for a request of the server. It ends with the connection, and when
// every call that is running now has ended: a server may wait for the answer although the user has
// aborted its call, and could do nothing else meanwhile. The time of these calls stands still until done is called. A request
// that is an answer to a call concerns that call alone.
func (n *connection) duringCalls(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	stops := []func() bool{context.AfterFunc(n.context, cancel)}
	var releases []func()
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		releases = append(releases, c.patience.hold())
	} else {
		n.calls.Lock()
		var running atomic.Int64
		running.Store(int64(len(n.progress)))
		for _, c := range n.progress {
			releases = append(releases, c.patience.hold())
			stops = append(stops, context.AfterFunc(c.context, func() {
				if running.Add(-1) == 0 {
					cancel()
				}
			}))
		}
		n.calls.Unlock()
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		for _, release := range releases {
			release()
		}
		cancel()
	}
}

// progressed passes on a report about a call. Reports that come too fast are left out, but not
// the last one of a server that says how much there is to do.
func (n *connection) progressed(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(float64) // as JSON is decoded
	if whole, isWhole := p.ProgressToken.(int64); isWhole {
		token, ok = float64(whole), true
	}
	if !ok {
		return
	}
	n.calls.Lock()
	c, now := n.progress[int64(token)], time.Now()
	last := p.Total != 0 && p.Progress >= p.Total
	if c == nil || now.Sub(c.reported) < progressPause && (!last || c.complete) {
		n.calls.Unlock()
		return
	}
	c.reported, c.complete = now, c.complete || last
	n.calls.Unlock()
	n.server.set.opts.Host.Progress(c.Call, describe(p))
}

// describe is a report in words.
func describe(p *sdk.ProgressNotificationParams) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case p.Message != "":
		return fault.Bounded(p.Message)
	case p.Total > 0:
		return number(p.Progress) + " of " + number(p.Total)
	}
	return number(p.Progress)
}
