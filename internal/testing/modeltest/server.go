// Package modeltest is a model provider that answers as a script says, for tests of
// everything that calls a model, and for `sidestick demo`. It speaks chat completions.
//
// A [Server] answers chat completions from a script of [Reply] values and keeps
// every [Request] it saw. A [Player] answers them from a recorded conversation
// instead. Both are an [http.Handler]; a [Host] reaches one over loopback, or in
// process through [Host.Transport], which works inside a testing/synctest bubble,
// where sockets do not.
//
//	srv := modeltest.NewServer(
//		modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "grep", Arguments: `{"pattern":"TODO"}`}}},
//		modeltest.Reply{Text: "Nothing left to do."},
//	)
//	defer srv.Close()
//	client := model.New(model.Options{Transport: srv.Transport()}, chat.New())
//
// The package speaks HTTP and JSON and imports no other package of ours, least of all
// package model: a shared type would let both sides make the same mistake.
package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Server is a provider with a script. It serves POST …/chat/completions and GET
// …/models under any prefix and answers 404 elsewhere, also to GET /api/v0/models and /api/v1/models, which are
// LM Studio's own. Safe for concurrent use.
type Server struct {
	*Host

	mu       sync.Mutex // guards the rest
	script   []Reply
	requests []Request
	window   window
	listing  Reply // of GET /models
	listings int
}

// defaultListing is the answer to GET /models until SetModels.
const defaultListing = `{"data":[{"id":"test-model","name":"Test Model",` +
	`"capabilities":{"supports":{"vision":true},"limits":{"max_context_window_tokens":128000}}}]}`

// NewServer returns a server with a script. Each request takes the first remaining reply
// that accepts it, see [Reply.When]; if none remains, the answer is 501, after which no call is tried again. Close it when
// done. It opens no socket until [Host.URL] is called.
func NewServer(script ...Reply) *Server {
	s := &Server{script: script, listing: Reply{Body: defaultListing}}
	s.Host = NewHost(s)
	return s
}

// Add appends replies to the script.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// SetModels has GET /models answer r from now on; its Body is the whole answer.
func (s *Server) SetModels(r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing = r
}

// Requests returns the model calls so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Listings returns how often GET /models was asked for.
func (s *Server) Listings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listings
}

// Left returns how many replies of the script are unused. A reply that repeats counts.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/api/v0/models", r.URL.Path == "/api/v1/models":
		http.NotFound(w, r)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		s.list().send(w, r.Context(), &Request{})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.complete(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) list() Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings++
	return s.listing
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req, err := parseRequest(r, body)
	if err != nil {
		http.Error(w, "modeltest: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.next(req).send(w, r.Context(), req)
}

// next records req and takes its reply from the script.
func (s *Server) next(req *Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, *req)
	if refusal, full := s.window.full(req); full {
		return refusal
	}
	for i, r := range s.script {
		if r.When != nil && !r.When(req) {
			continue
		}
		if !r.Repeat {
			s.script = slices.Delete(s.script, i, i+1)
		}
		return s.window.within(req, r)
	}
	return Reply{
		Status: http.StatusNotImplemented, // which is not tried again
		Body:   fmt.Sprintf("modeltest: no reply left for request %d", len(s.requests)),
	}
}
