package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	modelName = "bench-model"
	toolName  = "bench_echo"
)

// model is a server that does what the script in a message says, in every dialect.
type model struct {
	url    string
	calls  atomic.Int64 // requests for a completion so far
	server *http.Server
	ended  chan error
}

func serveModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String() + "/v1", ended: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", m.list)
	for path, name := range map[string]string{
		"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "anthropic", "/v1beta/models/{call}": "gemini",
		"/model/{id}/{call}": "bedrock", "/api/chat": "ollama",
	} {
		d, err := dialectNamed(name)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { m.complete(w, r, d) })
	}
	m.server = &http.Server{Handler: mux}
	go func() { m.ended <- m.server.Serve(l) }()
	return m, nil
}

// close ends the server and its connections.
func (m *model) close() error {
	err := m.server.Close()
	if served := <-m.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (m *model) list(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","created":1,"owned_by":"bench"}]}`, modelName)
}

func (m *model) complete(w http.ResponseWriter, r *http.Request, in dialect) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := answer{dialect: in, w: w, request: read(body, in.result), number: m.calls.Add(1), begun: new(bool)}
	callTool := a.results < a.script.tools
	switch {
	case in.stream != "" && strings.HasSuffix(r.URL.Path, in.stream), a.request.stream:
		w.Header().Set("Content-Type", cmp.Or(in.media, "text/event-stream"))
		if callTool {
			a.call(a)
		} else {
			a.pieces()
		}
		a.end(a, callTool)
		a.flush()
	case in.name == "chat":
		a.whole(callTool)
	default:
		http.Error(w, "this model answers in streams only", http.StatusBadRequest)
	}
}

// answer is the answer to one request.
type answer struct {
	dialect
	request
	w      http.ResponseWriter
	number int64
	begun  *bool // its head was written, in dialects that have one
}

const usage = `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`

func (a answer) toolCall(index string) string {
	return fmt.Sprintf(`{%s"id":"call_%d","type":"function","function":{"name":%q,"arguments":"{\"text\":\"x\"}"}}`, index, a.number, toolName)
}

// whole is an answer that is not streamed.
func (a answer) whole(callTool bool) {
	message, reason := `"content":"done"`, "stop"
	if callTool {
		message, reason = `"content":null,"tool_calls":[`+a.toolCall("")+`]`, "tool_calls"
	}
	a.w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(a.w, `{"id":"chatcmpl-%d","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}],%s}`,
		a.number, modelName, message, reason, usage)
}

// chunk writes one event of chat completions. finish is JSON; more goes behind the choices.
func (a answer) chunk(delta, finish, more string) {
	fmt.Fprintf(a.w, "data: {\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":%q,\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]%s}\n\n",
		a.number, modelName, delta, finish, more)
}

func (a answer) flush() { _ = http.NewResponseController(a.w).Flush() }

// burstFlush is how many chunks without a gap go into one write. Source: about what a
// provider's server gathers in 16 KiB.
const burstFlush = 64

// pieces writes the pieces of text. Each is the time at which it was written, in nanoseconds
// since 1970, so that a reader knows how old it is.
func (a answer) pieces() {
	due := time.Now()
	for i := range a.script.chunks {
		if a.script.gap > 0 {
			due = due.Add(a.script.gap)
			time.Sleep(time.Until(due))
		}
		a.text(a, fmt.Sprintf("%d ", time.Now().UnixNano()))
		if a.script.gap > 0 || i%burstFlush == burstFlush-1 {
			a.flush()
		}
	}
}
