package tape

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// PlayerOptions configures [Open]. Path is required.
type PlayerOptions struct {
	Path string
	// Secrets knows the secrets of the process, which were not recorded.
	Secrets *obs.Redactor
	// Tools answers calls of tools and permission requests from the recording, too.
	Tools bool
	// FS is where the file is. Default the operating system.
	FS vfs.FS
}

// Player answers requests from a recording. It sends nothing. Safe for concurrent use.
type Player struct {
	path    string
	secrets *obs.Redactor
	own     bool // it answers calls of tools
	all     []*recorded
	groups  []group       // the same, by the place of the call
	places  []model.Place // of the results and decisions, each once

	mu          sync.Mutex // guards the rest
	tools       map[string][]*Result
	permissions map[string][]*Decision
	mismatch    string // of the first request that was not recorded
}

// recorded is a recorded call, with the form in which it is compared.
type recorded struct {
	*call
	number int // from 1
	normal []byte
	used   bool // guarded by Player.mu
}

// group is the recorded calls of one place.
type group struct {
	place model.Place
	calls []*recorded
}

// Open reads a recording. Errors are [*fault.Error], and say which line cannot be used and why.
func Open(o PlayerOptions) (*Player, error) {
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	l, err := load(o.FS, o.Path)
	if err != nil {
		return nil, err
	}
	p := &Player{path: o.Path, secrets: o.Secrets, own: o.Tools, tools: map[string][]*Result{}, permissions: map[string][]*Decision{}}
	p.addCalls(l.calls)
	known := map[model.Place]bool{}
	for _, t := range l.tools {
		key := toolKey(p.secrets, t.ToolCall, t.Place)
		p.tools[key] = append(p.tools[key], t)
		p.addPlace(known, t.Place)
	}
	for _, d := range l.permissions {
		key := toolKey(p.secrets, d.ToolCall, d.Place)
		p.permissions[key] = append(p.permissions[key], d)
		p.addPlace(known, d.Place)
	}
	return p, nil
}

func (p *Player) addCalls(calls []*call) {
	groups := map[model.Place]int{}
	for i, c := range calls {
		r := &recorded{call: c, number: i + 1, normal: normal(c.Request.bytes(), []model.Place{c.Place})}
		at, known := groups[c.Place]
		if !known {
			at = len(p.groups)
			groups[c.Place] = at
			p.groups = append(p.groups, group{place: c.Place})
		}
		p.groups[at].calls = append(p.groups[at].calls, r)
		p.all = append(p.all, r)
	}
}

func (p *Player) addPlace(known map[model.Place]bool, at model.Place) {
	if !known[at] {
		known[at] = true
		p.places = append(p.places, at)
	}
}

// Tools reports whether calls of tools are answered, too.
func (p *Player) Tools() bool { return p.own }

// Key implements [model.Transport].
func (p *Player) Key() string { return "replay " + p.path }

// May implements [model.Transport]: what a recording answers is sent to nobody.
func (p *Player) May(model.Owner) bool { return true }

// Withheld implements [model.Transport].
func (p *Player) Withheld(string) {}

// Around returns the player in place of a transport, unless that is a player of its own.
func (p *Player) Around(next http.RoundTripper) http.RoundTripper {
	if other, ok := next.(*Player); ok {
		return other
	}
	return p
}

// Err says how the first request that was not recorded differs from the recording; nil if there
// was none.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == "" {
		return nil
	}
	return errors.New(p.mismatch)
}

// Unused is how many of the recorded calls of models no request has asked for, of how many.
func (p *Player) Unused() (unused, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.all {
		if r.Request.Method != http.MethodPost {
			continue
		}
		if of++; !r.used {
			unused++
		}
	}
	return unused, of
}

// Endpoint is where the first recorded call of a model went, and the name of its model; false if
// the recording has no call of a model.
func (p *Player) Endpoint() (ep model.Endpoint, name string, ok bool) {
	for _, r := range p.all {
		if m := r.Model; m != nil && m.Name != "" {
			return model.Endpoint{Dialect: m.Dialect, BaseURL: m.BaseURL, Copilot: m.Copilot, WireModel: m.Sent}, m.Name, true
		}
	}
	return model.Endpoint{}, "", false
}

// RoundTrip answers a request with the recorded answer to the same request. Its error is a
// [*model.Refusal] if there is none.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	secrets := secretsOf(p.secrets, req)
	live := &call{Request: request{
		Method: req.Method, URL: address(req.URL, secrets), Headers: sentHeaders(req.Header, secrets), content: asContent(secrets.RedactData(body, true)),
	}}
	live.Place, live.Model = sceneOf(req, secrets)
	found := p.take(req.Context(), live)
	if found != nil {
		return found.respond(req)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	text := p.explain(req.Context(), live)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == "" && req.Method == http.MethodPost {
		p.mismatch = text
	}
	return nil, &model.Refusal{Text: text}
}

// take finds the first recorded call like a live one that has not been answered yet, one with the
// same bytes before others. Lists of models are answered again. It finds none when the context ends.
func (p *Player) take(ctx context.Context, live *call) *recorded {
	body := live.Request.bytes()
	var alike []*recorded
	for g, form := range p.forms(ctx, live.Place, body) {
		for _, r := range g.calls {
			if sameHead(&r.Request, &live.Request) && bytes.Equal(r.normal, form) {
				alike = append(alike, r)
			}
		}
	}
	slices.SortFunc(alike, func(a, b *recorded) int { return cmp.Compare(a.number, b.number) })
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *recorded
	for _, r := range alike {
		if r.used && live.Request.Method == http.MethodPost {
			continue
		}
		if exact := bytes.Equal(r.Request.bytes(), body); exact || best == nil {
			best = r
			if exact {
				break
			}
		}
	}
	if best != nil {
		best.used = true
	}
	return best
}

// forms are the recorded calls by place, each with the body of a live call as it is compared with
// them: it has paths and ids of its own run, and those of the recorded run, which answers contain.
// A form is made when its turn comes, and most places share one, so that a recording of many places
// costs neither memory nor much time. They end early when the context ends.
func (p *Player) forms(ctx context.Context, at model.Place, body []byte) iter.Seq2[*group, []byte] {
	return func(yield func(*group, []byte) bool) {
		usual := normal(body, []model.Place{at})
		for i := range p.groups {
			g, form := &p.groups[i], usual
			if mentions(body, g.place) {
				form = normal(body, []model.Place{at, g.place})
			}
			if ctx.Err() != nil || !yield(g, form) {
				return
			}
		}
	}
}

func sameHead(a, b *request) bool {
	return a.Method == b.Method && a.URL == b.URL && maps.Equal(a.Headers, b.Headers)
}

// respond makes the answer of a recorded call.
func (r *recorded) respond(req *http.Request) (*http.Response, error) {
	switch {
	case r.Answer == nil:
		return nil, errors.New(r.Failure)
	case r.Answer.Status == 0:
		return nil, r.aborted()
	}
	h := http.Header{}
	for name, value := range r.Answer.Headers {
		h.Set(name, value)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.Answer.Status, http.StatusText(r.Answer.Status)), StatusCode: r.Answer.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, ContentLength: -1, Request: req,
		Body: &playedBody{req: req, of: r, rest: r.Answer.Pieces},
	}, nil
}

// aborted is the error where the recorded run had ended the call.
func (r *recorded) aborted() error {
	return &model.Refusal{Text: fmt.Sprintf("the recording ends here: call %d was aborted when it was recorded", r.number)}
}

// playedBody is the body of a recorded answer: each piece is one read, and none is waited for.
type playedBody struct {
	req  *http.Request
	of   *recorded
	rest []piece
	left []byte // of the piece under way
}

// Read returns the next piece, or what is left of one.
func (b *playedBody) Read(buf []byte) (int, error) {
	if err := b.req.Context().Err(); err != nil {
		return 0, err
	}
	for len(b.left) == 0 {
		if len(b.rest) == 0 {
			return 0, b.end()
		}
		b.left, b.rest = b.rest[0].bytes(), b.rest[1:]
	}
	n := copy(buf, b.left)
	b.left = b.left[n:]
	return n, nil
}

func (b *playedBody) end() error {
	switch a := b.of.Answer; {
	case a.Aborted:
		return b.of.aborted()
	case a.Cut != "":
		return errors.New(a.Cut)
	}
	return io.EOF
}

// Close does nothing.
func (b *playedBody) Close() error { return nil }

// common is how many bytes two texts have in common at their beginning.
func common(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
