package modeltest

import (
	"fmt"
	"net/http"
)

// window is the context of a server that has a bounded one. The zero value is not bounded.
type window struct {
	tokens        int
	bytesPerToken float64
}

// SetWindow gives the server a context window of n tokens from now on, of which the request and its answer have a
// part, as llama.cpp has it. A token has bytesPerToken bytes of a body. A longer request is refused
// with the numbers and in the words of llama.cpp; an answer ends with "length" where the window is full, and
// reports its usage.
func (s *Server) SetWindow(n int, bytesPerToken float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = window{n, bytesPerToken}
}

// Counted is the number of tokens of a request, 0 if the server has no window.
func (s *Server) Counted(r *Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window.count(len(r.Raw))
}

func (w window) count(bytes int) int {
	if w.tokens == 0 {
		return 0
	}
	return int(float64(bytes)/w.bytesPerToken) + 1
}

// full is the refusal of a request that is too long; ok is false for others.
// Source: llama.cpp, tools/server/server-context.cpp and server-common.cpp, ERROR_TYPE_EXCEED_CONTEXT_SIZE.
func (w window) full(r *Request) (refusal Reply, ok bool) {
	n := w.count(len(r.Raw))
	if n < w.tokens || w.tokens == 0 {
		return refusal, false
	}
	return Reply{Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), `+
		`try increasing it","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`, n, w.tokens, n, w.tokens)}, true
}

// within ends an answer where the window is full.
func (w window) within(r *Request, a Reply) Reply {
	if w.tokens == 0 || a.Status >= 300 || a.Body != "" || a.Events != nil {
		return a
	}
	asked := w.count(len(r.Raw))
	if left := int(float64(w.tokens-asked) * w.bytesPerToken); len(a.Text) > left {
		a.Text, a.Finish = a.Text[:left], "length"
	}
	if a.Usage == nil {
		a.Usage = &Usage{Input: asked, Output: w.count(len(a.Text))}
	}
	return a
}
