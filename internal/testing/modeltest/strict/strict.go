// Package strict has fakes of model providers that check each request as the provider does, and
// refuse it with the provider's own error. A script is written once and drives the fake of every
// dialect, so that one conversation can be tested in all of them.
//
//	srv := strict.New(strict.Anthropic,
//		strict.Reply{Parts: []strict.Part{{Reasoning: "I should look."}, {Call: &strict.Call{Name: "view", Arguments: `{"path":"a"}`}}}},
//		strict.Reply{Parts: []strict.Part{{Text: "It is empty."}}},
//	)
//	defer srv.Close()
//
// A fake remembers what it has given out: signatures and encrypted reasoning must come back
// unchanged, in their places, and after the same prompt. [Server.Refused] says why requests were
// refused. The rules are those of the vendors' public documentation; each rule names its page, or
// the thread in which its error was seen.
//
// The package imports no package of a dialect, and not package model: a shared type would let both
// sides make the same mistake. e2e/sdks runs the vendors' official SDKs against these fakes.
package strict

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// Vendor names the provider that a [Server] stands in for.
type Vendor string

// The vendors, by their dialects.
const (
	Chat      Vendor = "chat-completions" // OpenAI, or DeepSeek for models of that name
	Responses Vendor = "responses"        // OpenAI
	Anthropic Vendor = "anthropic"
	Gemini    Vendor = "gemini"
	Bedrock   Vendor = "bedrock"
	Ollama    Vendor = "ollama"
)

// Vendors are all of them.
func Vendors() []Vendor { return []Vendor{Chat, Responses, Anthropic, Gemini, Bedrock, Ollama} }

// Key is the API key that a [Server] wants.
const Key = "the-key-of-the-fake"

// Server is a fake provider. Safe for concurrent use.
type Server struct {
	*modeltest.Host
	protocol protocol

	mu       sync.Mutex // guards the rest
	memory   memory
	script   []Reply
	requests []Request
	refused  []string
}

// Request is a model call as the server saw it.
type Request struct {
	Path   string
	Header http.Header
	Body   string
	Stream bool // it asks for a stream, and was accepted
}

// New returns a server with a script. Each accepted request takes the next reply; when none is left,
// the answer is 500. Close it when done. It opens no socket until [modeltest.Host.URL] is called.
func New(v Vendor, script ...Reply) *Server {
	s := &Server{protocol: protocolOf(v), script: script}
	s.Host = modeltest.NewHost(http.HandlerFunc(s.serve))
	return s
}

func protocolOf(v Vendor) protocol {
	switch v {
	case Responses:
		return responses{}
	case Anthropic:
		return anthropic{}
	case Gemini:
		return gemini{}
	case Bedrock:
		return bedrock{}
	case Ollama:
		return ollama{}
	}
	return chat{}
}

// Add appends replies to the script.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// Requests returns the calls so far, refused ones included, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Refused says why requests were refused, in order. Replies that fail because the script says so
// are not in it. Reasoning that the vendor would drop without an error is.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Left returns how many replies of the script are unused.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script)
}

// Given returns the signatures, and the encrypted reasoning, that the server has given out.
func (s *Server) Given() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.memory.given))
}

// Reset forgets everything but the ids that were given out, and begins another script.
func (s *Server) Reset(script ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory = memory{ids: s.memory.ids}
	s.script, s.requests, s.refused = script, nil, nil
}
