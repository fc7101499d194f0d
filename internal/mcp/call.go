package mcp

import (
	"context"
	"errors"
	"fmt"
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
	reported time.Time
	complete bool // the server has reported that everything is done
}

// Run implements [tool.Tool].
func (t *Tool) Run(ctx context.Context, c tool.Call) tool.Result {
	n, limit := t.connection, callTime
	if t.timeout > 0 {
		limit = t.timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	defer context.AfterFunc(n.context, cancel)()
	params := &sdk.CallToolParams{Name: t.definition.ServerTool, Arguments: c.Arguments}
	token, ended := n.began(ctx, c)
	defer ended()
	params.Meta = n.server.set.opts.Host.Meta(ctx, c, n.server.name, params.Name, nil)
	params.SetProgressToken(token)
	res, err := n.client.CallTool(ctx, params)
	switch {
	case err == nil:
		return t.result(res)
	case context.Cause(ctx) == errTooLong:
		return tool.Result{Outcome: tool.Timeout, Text: fmt.Sprintf("MCP server '%s' did not answer the call of '%s' within %v.", n.server.name, params.Name, limit)}
	case ctx.Err() != nil && n.context.Err() == nil: // the run was aborted
		return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
	}
	return tool.Result{Outcome: tool.Failure, Text: n.refusal(err)}
}

var errTooLong = errors.New("the call took too long")

// refusal says why a call failed, for the model.
func (n *connection) refusal(err error) string {
	if n.remote != nil && n.remote.narrow.Swap(false) {
		return fmt.Sprintf("MCP server '%s': %s", n.server.name, fault.Bounded(n.remote.credentials.lacks()))
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && n.context.Err() == nil {
		return fmt.Sprintf("MCP server '%s': %s", n.server.name, fault.Bounded(refused.Message))
	}
	select {
	case <-n.lost:
		return fmt.Sprintf("MCP server '%s' has ended: %s", n.server.name, fault.Message(n.failure(nil)))
	default:
	}
	return fmt.Sprintf("MCP server '%s' did not answer: %v", n.server.name, err)
}

// began notes that a call is running, until ended is called. token names it in reports about
// its progress. ctx ends with the call.
func (n *connection) began(ctx context.Context, c tool.Call) (token int64, ended func()) {
	n.calls.Lock()
	defer n.calls.Unlock()
	n.token++
	token = n.token
	n.progress[token] = &call{Call: c, context: ctx}
	return token, func() {
		n.calls.Lock()
		defer n.calls.Unlock()
		delete(n.progress, token)
	}
}

// onlyCall returns the one call that is running, the zero Call if there is another number.
func (n *connection) onlyCall() tool.Call {
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
// aborted its call, and could do nothing else meanwhile.
func (n *connection) duringCalls(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stops := []func() bool{context.AfterFunc(n.context, cancel)}
	n.calls.Lock()
	defer n.calls.Unlock()
	var running atomic.Int64
	running.Store(int64(len(n.progress)))
	for _, c := range n.progress {
		stops = append(stops, context.AfterFunc(c.context, func() {
			if running.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
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
