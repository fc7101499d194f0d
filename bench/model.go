package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	modelName = "bench-model"
	toolName  = "bench_echo"
)

// model is an OpenAI-compatible server that does what the script in a message says.
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
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
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

func (m *model) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := answer{w: w, request: read(body), number: m.calls.Add(1)}
	callTool := a.results < a.script.tools
	switch {
	case !a.stream:
		a.whole(callTool)
	case callTool:
		a.head()
		a.chunk(`"role":"assistant","content":null,"tool_calls":[`+a.toolCall(`"index":0,`)+`]`, "null", "")
		a.end("tool_calls")
	default:
		a.head()
		a.text()
		a.end("stop")
	}
}

// answer is the answer to one request.
type answer struct {
	request
	w      http.ResponseWriter
	number int64
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

func (a answer) head() { a.w.Header().Set("Content-Type", "text/event-stream") }

// chunk writes one event. finish is JSON; more goes behind the choices.
func (a answer) chunk(delta, finish, more string) {
	fmt.Fprintf(a.w, "data: {\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":%q,\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]%s}\n\n",
		a.number, modelName, delta, finish, more)
}

func (a answer) end(reason string) {
	a.chunk("", `"`+reason+`"`, ","+usage)
	io.WriteString(a.w, "data: [DONE]\n\n")
	a.flush()
}

func (a answer) flush() { _ = http.NewResponseController(a.w).Flush() }

// burstFlush is how many chunks without a gap go into one write. Source: about what a
// provider's server gathers in 16 KiB.
const burstFlush = 64

// text writes the pieces. Each is the time at which it was written, in nanoseconds
// since 1970, so that a reader knows how old it is.
func (a answer) text() {
	due := time.Now()
	for i := range a.script.chunks {
		if a.script.gap > 0 {
			due = due.Add(a.script.gap)
			time.Sleep(time.Until(due))
		}
		a.chunk(fmt.Sprintf(`"role":"assistant","content":"%d "`, time.Now().UnixNano()), "null", "")
		if a.script.gap > 0 || i%burstFlush == burstFlush-1 {
			a.flush()
		}
	}
}
