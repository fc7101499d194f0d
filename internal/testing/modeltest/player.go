package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Player answers as the SDKs' replaying proxy does: a request that is the
// beginning of a recorded conversation gets the next answer of the model. It serves
// POST /chat/completions and GET /models without query strings, and 404 elsewhere.
//
// Several assistant messages in a row are sent as several choices; a stream has only
// the first. A conversation recorded without an answer gets a status and then nothing. A
// request that matches no conversation gets 500, and [Player.Mismatch] says why. Safe for
// concurrent use.
type Player struct {
	*Host
	rec     *Recording
	workDir string
	norm    normalizer
	stored  [][]string // normalised conversations, as in rec
	// announced is closed when the main agent has got the answer behind which the recording has the notice that a
	// sub-agent in the background has ended; nil if that does not matter. See KeepOrder.
	announced chan struct{}
	announce  sync.Once

	mu       sync.Mutex // guards the rest
	requests []Request
	mismatch string
	endless  int // so many streamed answers get no end; see Hold
}

// Play returns a player of rec. workDir is what ${workdir} stands for: the
// directory the runtime under test works in, symlinks resolved. Close it when
// done.
func Play(rec *Recording, workDir string) *Player {
	p := &Player{rec: rec, workDir: workDir, norm: newNormalizer(workDir)}
	for _, c := range rec.Conversations {
		p.stored = append(p.stored, p.norm.conversation(asStored(c)))
	}
	p.Host = NewHost(p)
	return p
}

// Hold keeps the ends of the next n streamed answers back: all of their text is sent,
// and then nothing until the client gives up. A test that aborts such an answer knows
// how much of it has arrived.
func (p *Player) Hold(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endless = n
}

// KeepOrder has a sub-agent in the background end after the main agent's answer, if held, which is the conversation
// that will be held, was recorded in that order. As fast as a recording answers, it might end first. Call it before
// the first request.
func (p *Player) KeepOrder(held []Message) {
	if noticeIn(held) > 0 {
		p.announced = make(chan struct{})
	}
}

// Requests returns the model calls so far, in order of arrival.
func (p *Player) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Mismatch says where the first request without a match departs from the most similar
// recorded conversation; empty if all requests matched.
func (p *Player) Mismatch() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mismatch
}

// ServeHTTP implements [http.Handler].
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Github-Request-Id", "played-request")
	switch r.Method + " " + r.URL.RequestURI() {
	case "GET /models":
		Reply{Body: p.models()}.send(w, r.Context(), &Request{})
	case "POST /chat/completions":
		p.complete(w, r)
	default:
		Reply{Status: http.StatusNotFound, Body: `{"error":"Not found by test proxy"}`}.send(w, r.Context(), &Request{})
	}
}

func (p *Player) models() string {
	ids := p.rec.Models
	if len(ids) == 0 {
		ids = []string{"claude-sonnet-4.5"}
	}
	var entries []json.RawMessage
	for _, id := range ids {
		entries = append(entries, json.RawMessage(fmt.Sprintf(
			`{"id":%q,"name":%[1]q,"capabilities":{"supports":{"vision":true},"limits":{"max_context_window_tokens":128000}}}`, id)))
	}
	return encode(map[string]any{"data": entries})
}

func (p *Player) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req, err := parseRequest(r, body)
	if err != nil {
		p.fail(w, "request: "+err.Error())
		return
	}
	p.mu.Lock()
	p.requests = append(p.requests, *req)
	p.mu.Unlock()
	live := p.norm.conversation(asLive(req))
	reply, ok := p.reply(req, live)
	if !ok {
		p.fail(w, explain(live, p.stored))
		return
	}
	main, launched := p.inBackground(live)
	if launched && !main {
		select {
		case <-p.announced:
		case <-r.Context().Done():
		}
	}
	reply.send(w, r.Context(), req)
	if launched && main {
		p.announce.Do(func() { close(p.announced) })
	}
}

// noticeIn returns the index of the first notice of a sub-agent's end in a conversation; 0 if there is none.
func noticeIn(c []Message) int {
	return max(slices.IndexFunc(c, func(m Message) bool {
		return m.Role == "user" && strings.HasPrefix(strings.TrimSpace(m.Content), "<system_notification>")
	}), 0)
}

// inBackground reports whether the answer to live is the last one of a sub-agent in the background, or the one of
// the main agent after which it is told of that end.
func (p *Player) inBackground(live []string) (main, launched bool) {
	if p.announced == nil {
		return false, false
	}
	for i, s := range p.stored {
		if n := noticeIn(p.rec.Conversations[i]); n > len(live) && slices.Equal(s[:len(live)], live) {
			return true, n == len(live)+1
		}
	}
	return false, slices.ContainsFunc(p.stored, func(s []string) bool { return len(s) == len(live)+1 && slices.Equal(s[:len(live)], live) })
}

// reply finds the recorded answer to a request; false if there is none.
func (p *Player) reply(req *Request, live []string) (Reply, bool) {
	if f := p.failure(req.Model, live); f != nil {
		return f.answer(), true
	}
	if said := p.next(live); said != nil {
		reply := p.say(req, said)
		if req.Stream && p.holdsNext() {
			reply.StallAfter = len(reply.Events) - 1 // before [DONE]
		}
		return reply, true
	}
	unanswered := slices.ContainsFunc(p.stored, func(s []string) bool { return slices.Equal(s, live) })
	return Reply{Events: []string{}, StallAfter: -1}, unanswered
}

// holdsNext counts an answer whose end is kept back, if there is one to be.
func (p *Player) holdsNext() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endless--
	return p.endless >= 0
}

// fail answers 500 and keeps the first reason.
func (p *Player) fail(w http.ResponseWriter, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == "" {
		p.mismatch = why
	}
	http.Error(w, "Proxy error", http.StatusInternalServerError)
}

// failure returns the recorded failure for exactly this conversation.
func (p *Player) failure(model string, live []string) *RecordedFailure {
	for i, f := range p.rec.Failures {
		if (f.Model == "" || f.Model == model) && slices.Equal(p.norm.conversation(asStored(f.Messages)), live) {
			return &p.rec.Failures[i]
		}
	}
	return nil
}

func (f *RecordedFailure) answer() Reply {
	r := Failure(f.Status, f.Code, f.Message)
	if f.RetryAfter > 0 {
		r.Header = map[string]string{"Retry-After": strconv.Itoa(f.RetryAfter)}
	}
	return r
}

// next returns the assistant messages that follow live in the first conversation that
// begins with it, nil if there is none.
func (p *Player) next(live []string) []Message {
	for i, s := range p.stored {
		c := p.rec.Conversations[i]
		n := len(live)
		if n >= len(s) || c[n].Role != "assistant" || !slices.Equal(s[:n], live) {
			continue
		}
		end := n
		for end < len(c) && c[end].Role == "assistant" {
			end++
		}
		return c[n:end]
	}
	return nil
}
