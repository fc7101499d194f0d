package strict

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// protocol is what tells one dialect from another.
type protocol interface {
	// call reports whether a request is one for an answer, and lists reports whether it asks for
	// the list of models.
	call(r *http.Request) bool
	lists(r *http.Request) bool
	// key returns the API key of a request.
	key(r *http.Request) string
	// check checks a request. Its errors are refusals.
	check(r *http.Request, body []byte, m *memory) (*asked, error)
	// events is an answer as a stream, whole as one document.
	events(r *Reply, a *asked, m *memory) []event
	whole(r *Reply, a *asked, m *memory) string
	// failure is the vendor's error, and body its form.
	failure(f Failure) *refusal
	body(r *refusal) string
	// during is the event of an error within a stream.
	during() event
	// models is the list of models.
	models() string
	// media is the type of a stream, and frame an event in it.
	media() string
	frame(e event) string
}

// asked is what an accepted request asks for.
type asked struct {
	model  modelOf
	stream bool
	usage  bool     // of a stream; other dialects always send it
	shows  bool     // reasoning is shown
	prompt []string // its pieces, in order
}

// event is one event of a stream, or a comment.
type event struct {
	name, data, comment string
}

// overSSE has the streams of dialects that send server-sent events.
type overSSE struct{}

func (overSSE) media() string { return "text/event-stream; charset=utf-8" }

func (overSSE) frame(e event) string {
	var b strings.Builder
	if e.comment != "" {
		b.WriteString(": " + e.comment + "\n")
	}
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	if e.data != "" {
		b.WriteString("data: " + e.data + "\n")
	}
	return b.String() + "\n"
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	switch {
	case s.protocol.key(r) != Key:
		s.refuse(w, s.protocol.failure(WrongKey))
	case r.Method == http.MethodGet && s.protocol.lists(r):
		s.send(w, http.StatusOK, nil, s.protocol.models())
	case r.Method == http.MethodPost && s.protocol.call(r):
		s.answer(w, r, body)
	case r.Method == http.MethodGet && ofOthers(r.URL.Path):
		s.refuse(w, &refusal{status: http.StatusNotFound, message: "Invalid URL (GET " + r.URL.Path + ")"})
	default:
		s.reject(w, &refusal{status: http.StatusNotFound, message: "Invalid URL (" + r.Method + " " + r.URL.Path + ")"})
	}
}

// ofOthers reports whether a path is a page of llama.cpp, LM Studio or Ollama about the windows of their models. The
// program asks every server for it that it does not know, and a vendor has no such page.
func ofOthers(path string) bool {
	switch path {
	case "/props", "/api/ps", "/api/v0/models", "/api/v1/models":
		return true
	}
	return false
}

// reject refuses a request, and remembers why.
func (s *Server) reject(w http.ResponseWriter, r *refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, r.message)
	s.mu.Unlock()
	s.refuse(w, r)
}

func (s *Server) refuse(w http.ResponseWriter, r *refusal) {
	header := r.header
	if _, ok := s.protocol.(bedrock); ok {
		header = r.named()
	}
	s.send(w, r.statusOr400(), header, s.protocol.body(r))
}

func (s *Server) send(w http.ResponseWriter, status int, header http.Header, document string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Request-Id", "req_strict") // of OpenAI
	w.Header().Set("Request-Id", "req_strict")   // of Anthropic
	for name, values := range header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, document) // the client may have left
}

// answer checks a call and answers it as the script says.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	reply, a, events, document, err := s.next(r, body)
	switch {
	case err != nil:
		s.reject(w, asRefusal(err))
		return
	case reply == nil:
		s.reject(w, &refusal{status: http.StatusInternalServerError, message: "strict: no reply is left"})
		return
	}
	if reply.Delay > 0 {
		select {
		case <-time.After(reply.Delay):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case reply.Fail != None && !s.answers(reply.Fail) && (reply.Fail != BreaksDuring || !a.stream):
		s.refuse(w, s.protocol.failure(reply.Fail))
	case a.stream:
		s.stream(w, r, reply, events)
	default:
		s.send(w, http.StatusOK, nil, document)
	}
}

// next records and checks a call, and encodes its reply: nil if none is left.
func (s *Server) next(r *http.Request, body []byte) (reply *Reply, a *asked, events []event, document string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: string(body)})
	a, err = s.protocol.check(r, body, &s.memory)
	s.refused = append(s.refused, s.memory.noted...)
	s.memory.noted = nil
	if err != nil || len(s.script) == 0 {
		return nil, a, nil, "", err
	}
	s.requests[len(s.requests)-1].Stream = a.stream
	next := s.script[0]
	s.script = s.script[1:]
	switch {
	case next.Fail != None && next.Fail != BreaksDuring && !s.answers(next.Fail):
	case a.stream:
		events = s.protocol.events(&next, a, &s.memory)
	default:
		document = s.protocol.whole(&next, a, &s.memory)
	}
	return &next, a, events, document, nil
}

// answers reports whether the vendor puts a failure into an answer: Google does so with prompts that
// it refuses.
func (s *Server) answers(f Failure) bool {
	_, google := s.protocol.(gemini)
	return google && f == Flagged
}

// stream sends events, with the faults that the reply asks for.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply *Reply, events []event) {
	w.Header().Set("Content-Type", s.protocol.media())
	w.Header().Set("X-Request-Id", "req_strict")
	w.Header().Set("Request-Id", "req_strict")
	w.WriteHeader(http.StatusOK)
	flusher := http.NewResponseController(w)
	_ = flusher.Flush() // a client that has left is noticed below
	for i, e := range events {
		switch {
		case reply.Fail == BreaksDuring && i == 1:
			e, events = s.protocol.during(), nil
		case reply.CutAfter > 0 && i == reply.CutAfter:
			panic(http.ErrAbortHandler)
		case reply.StallAfter > 0 && i == reply.StallAfter:
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
		if _, err := io.WriteString(w, s.protocol.frame(e)); err != nil {
			return
		}
		_ = flusher.Flush()
		if events == nil {
			return
		}
	}
}
