package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// vendor is a provider of models that reason.
type vendor struct {
	name, model, dialect string
	sealed               bool   // it checks that nothing before its reasoning has changed
	effort               string // how a request says that much reasoning is asked for
}

// theVendors are one of each dialect, and of chat completions two: with text that goes back, and
// with an opaque part, as the Copilot API has it.
func theVendors() []vendor {
	return []vendor{
		{"plain", "kimi-k3", chat.Name, false, `"reasoning_effort":"high"`},
		{"opaque", "claude-sonnet-5", chat.Name, true, `"reasoning_effort":"high"`},
		{"responses", "gpt-6-sol", responses.Name, true, `"reasoning":{"effort":"high","summary":"auto"}`},
		{"anthropic", "claude-opus-5-5", anthropic.Name, true, `"output_config":{"effort":"high"}`},
		{"gemini", "gemini-3.8-flash", gemini.Name, false, `"thinkingLevel":"high"`},
	}
}

// id is the name of its model in a session.
func (v vendor) id() string { return v.name + ":" + v.model }

// vendorNamed finds the provider of a model's name.
func vendorNamed(name string) (provider.Provider, bool) {
	vendor, bare, _ := strings.Cut(name, ":")
	for _, v := range theVendors() {
		if v.name == vendor {
			return provider.Provider{Model: name, Named: true, Endpoint: model.Endpoint{
				Dialect: v.dialect, BaseURL: "http://" + v.name + ".test/v1", WireModel: bare, APIKey: "key-of-" + v.name,
			}}, true
		}
	}
	return provider.Provider{}, false
}

// vendors answers the requests to all of them, and checks that nothing before reasoning that it
// gets back has changed. It is an [http.RoundTripper]. Safe for concurrent use.
type vendors struct {
	t *testing.T
	// answers chooses the answer to the n-th request, counted from 0.
	answers func(n int, r *asked) said
	refuses string // requests that have this are refused because of their effort

	mu       sync.Mutex
	requests []*asked
	before   map[string][]part // what a request with an answer had, by the mark of its reasoning
	cache    promptCache
}

// asked is a request, as the model reads it.
type asked struct {
	vendor vendor
	header http.Header
	body   string
	parts  []part
	tools  int // parts of the beginning that are tools and settings
}

// part is a piece of a request: a tool, the system message, a block, an item.
type part struct {
	json  string
	model bool   // of an answer
	sign  string // the mark of opaque reasoning that it has, "" for none
	mark  bool   // the cache keeps what is up to it
}

// said is an answer.
type said struct {
	text  string
	calls []model.ToolCall
}

// thought and sign are the reasoning of the n-th answer: what the user sees, and what is opaque.
func thought(n int) string { return fmt.Sprintf("Thought %d <of mine>.", n) }
func sign(n int) string    { return fmt.Sprintf("SIGN-%d/+=", n) }

func (v *vendors) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	name, _, _ := strings.Cut(r.URL.Host, ".")
	i := slices.IndexFunc(theVendors(), func(k vendor) bool { return k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no vendor %q", name)
	}
	a := &asked{vendor: theVendors()[i], header: r.Header, body: string(body)}
	if err := a.read(); err != nil {
		v.t.Errorf("request to %s: %v\n%s", name, err, body)
	}
	n := len(v.requests)
	v.requests = append(v.requests, a)
	if v.refuses != "" && strings.Contains(a.body, v.refuses) {
		return &http.Response{
			StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
			Body: io.NopCloser(strings.NewReader(`{"error":{"message":"Unsupported parameter: 'reasoning_effort'.","code":"unsupported_parameter"}}`)),
		}, nil
	}
	v.check(a)
	if v.before == nil {
		v.before = map[string][]part{}
	}
	v.before[sign(n)] = a.parts
	cached, total := v.cache.look(a)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(a.answer(n, v.answers(n, a), cached, total))),
	}, nil
}

// check reports a request with reasoning before which something has changed, or that another
// vendor has sent.
func (v *vendors) check(a *asked) {
	for i, p := range a.parts {
		if p.sign == "" {
			continue
		}
		was, ok := v.before[p.sign]
		switch {
		case !ok:
			v.t.Errorf("reasoning %s was never sent by a model:\n%s", p.sign, a.body)
		case !a.vendor.sealed:
		case len(was) > i || slices.ContainsFunc(a.parts[len(was):i], func(p part) bool { return !p.model }):
			v.t.Errorf("before the reasoning %s something is missing or new", p.sign)
		default:
			for k := range was {
				if was[k].json != a.parts[k].json {
					v.t.Errorf("before the reasoning %s this has changed:\n%s\nnow:\n%s", p.sign, was[k].json, a.parts[k].json)
				}
			}
		}
	}
}

// signs are the marks of the reasoning in the n-th request, of which -1 is the last.
func (v *vendors) signs(n int) (all []string) {
	for _, p := range v.request(n).parts {
		if p.sign != "" {
			all = append(all, p.sign)
		}
	}
	return all
}

func (v *vendors) request(n int) *asked {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n < 0 {
		n += len(v.requests)
	}
	return v.requests[n]
}

// cacheMark is what Anthropic's requests mark a block with.
const cacheMark = `,"cache_control":{"type":"ephemeral"}`

func (a *asked) add(raw json.RawMessage, byModel bool, sign string) {
	unmarked := bytes.ReplaceAll(raw, []byte(cacheMark), nil)
	a.parts = append(a.parts, part{json: string(unmarked), model: byModel, sign: sign, mark: len(unmarked) != len(raw)})
}

// read takes a request apart.
func (a *asked) read() error {
	var r struct {
		Tools        []json.RawMessage
		Messages     []json.RawMessage
		Input        []json.RawMessage
		Contents     []json.RawMessage
		System       []json.RawMessage
		Instructions json.RawMessage `json:"systemInstruction"`
		Reasoning    json.RawMessage
		Text         json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		return err
	}
	for _, raw := range slices.Concat(r.Tools, []json.RawMessage{r.Reasoning, r.Text, r.Instructions}) {
		if len(raw) > 0 {
			a.add(raw, false, "")
		}
	}
	a.tools = len(a.parts)
	for _, raw := range r.System {
		a.add(raw, false, "")
	}
	for _, raw := range slices.Concat(r.Messages, r.Input, r.Contents) {
		if err := a.message(raw); err != nil {
			return err
		}
	}
	return nil
}

// message takes a message apart, so that reasoning is before what follows it.
func (a *asked) message(raw json.RawMessage) error {
	var m struct {
		Type, Role string
		Content    json.RawMessage
		Parts      []json.RawMessage
		Opaque     string `json:"reasoning_opaque"`
		Encrypted  string `json:"encrypted_content"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	byModel := m.Role == "assistant" || m.Role == "model" || m.Type == "reasoning" || m.Type == "function_call"
	blocks := m.Parts
	if a.vendor.dialect == anthropic.Name {
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return err
		}
	}
	if blocks == nil {
		a.add(raw, byModel, m.Opaque+m.Encrypted)
	}
	for _, block := range blocks {
		var b struct {
			Signature        string
			ThoughtSignature string
		}
		if err := json.Unmarshal(block, &b); err != nil {
			return err
		}
		if b.ThoughtSignature == "skip_thought_signature_validator" { // Google's for the calls of other models
			b.ThoughtSignature = ""
		}
		a.add(block, byModel, b.Signature+b.ThoughtSignature)
	}
	return nil
}
