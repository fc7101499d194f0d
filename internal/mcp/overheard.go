package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the SDK keeps to itself and is read beside it: the end of the stream of changes, tools that run only as tasks, tools that it
// leaves out, and the order of the properties in schemas.

// errUnheard is the end of the stream on which a server of protocol 2026-07-28 tells of changes. Calls work without it.
var errUnheard = errors.New("the stream of changes has ended")

// overheard wraps the body of an answer in what listens to it.
func (r *remote) overheard(q *http.Request, answer *http.Response) *http.Response {
	switch {
	case r.heard == nil || answer.StatusCode >= 400:
	case q.Header.Get("Mcp-Method") == "subscriptions/listen":
		answer.Body = &ending{ReadCloser: answer.Body, context: q.Context(), ended: r.unheard}
	default:
		answer.Body = &noting{ReadCloser: answer.Body, lines: isEvents(answer), note: r.heard}
	}
	return answer
}

// hear is called with each message of the server, before the SDK reads it.
func (n *connection) hear(message []byte) {
	n.tasks.note(message)
	n.orders.note(message)
}

// ending is the body of a stream whose end is noted, unless this program has ended it.
type ending struct {
	io.ReadCloser
	context context.Context
	ended   func()
}

// Read implements [io.Reader].
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && e.context.Err() == nil {
		e.ended()
	}
	return n, err
}

// noting is a body whose messages are noted before they are read.
type noting struct {
	io.ReadCloser
	lines bool // each message is a line of a stream of events, and not the whole body
	text  []byte
	note  func(message []byte) // does not keep the message
}

// Read implements [io.Reader].
func (b *noting) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	more := p[:n]
	for b.lines {
		line, rest, whole := bytes.Cut(more, []byte("\n"))
		if !whole {
			break
		}
		b.text = append(b.text, line...)
		b.note(bytes.TrimPrefix(b.text, []byte(dataField)))
		b.text, more = b.text[:0], rest
	}
	b.text = append(b.text, more...)
	if len(b.text) > maxLine {
		b.text = nil // the body is not read further
	}
	if err != nil {
		b.note(b.text)
		b.text = nil
	}
	return n, err
}

// onlyTasks are the tools that can run only as tasks, by their names. It is safe for concurrent use.
type onlyTasks struct {
	mu    sync.Mutex
	names map[string]bool
}

// note notes those of a message that is a list of tools. The SDK has no field for them.
func (o *onlyTasks) note(message []byte) {
	if !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return
	}
	var m struct {
		Result struct {
			Tools []struct {
				Name      string
				Execution struct{ TaskSupport string }
			}
		}
	}
	if json.Unmarshal(message, &m) != nil {
		return // the SDK reports it
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range m.Result.Tools {
		if o.names == nil {
			o.names = map[string]bool{}
		}
		if needed := one.Execution.TaskSupport == "required"; needed || o.names[one.Name] {
			o.names[one.Name] = needed
		}
	}
}

// has reports whether a tool is one of them.
func (o *onlyTasks) has(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.names[name]
}

// listedKey is the key of a *[]string in the context of a request for tools: the names of all that the server lists.
type listedKey struct{}

// allListed is a layer of the SDK's client that sees the tools which it leaves out.
func allListed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, q)
		if names, ok := ctx.Value(listedKey{}).(*[]string); ok && err == nil {
			if listed, ok := res.(*sdk.ListToolsResult); ok {
				for _, one := range listed.Tools {
					if one != nil {
						*names = append(*names, one.Name)
					}
				}
			}
		}
		return res, err
	}
}
