package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// carry has a client carry the model calls of its sessions: it refuses each call with the status 400, and
// gives token when it is asked for one. shown returns what it was shown of the calls.
func (c *peer) carry(token string) (shown func() string) {
	var mu sync.Mutex
	var all []string
	begun := map[string]string{} // the calls whose answer has begun, by the id of the request that says so
	c.mu.Lock()
	c.asked = func(m message) {
		var call struct {
			ID     json.RawMessage
			Params struct {
				RequestID   string
				End, Cancel bool
			}
		}
		if err := json.Unmarshal(m.raw, &call); err != nil || call.ID == nil {
			return
		}
		if m.method == "" {
			mu.Lock()
			of := begun[m.id]
			mu.Unlock()
			if of != "" {
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"end","method":"llmInference.httpResponseChunk","params":{"requestId":%q,"data":"{}","end":true}}`, of))
			}
			return
		}
		result := `{}`
		switch m.method {
		case "llmInference.httpRequestStart":
			mu.Lock()
			all = append(all, string(m.raw))
			mu.Unlock()
		case "providerToken.getToken":
			result = `{"token":"` + token + `"}`
		}
		c.send(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":` + result + `}`)
		if m.method == "llmInference.httpRequestChunk" && call.Params.End && !call.Params.Cancel {
			id := `"begin ` + call.Params.RequestID + `"`
			mu.Lock()
			begun[id] = call.Params.RequestID
			mu.Unlock()
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"llmInference.httpResponseStart","params":{"requestId":%q,"status":400,"headers":{}}}`, id, call.Params.RequestID))
		}
	}
	c.mu.Unlock()
	c.call("llmInference.setProvider", `{}`)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, "\n")
	}
}

// send writes a message, unless the connection has ended.
func (c *peer) send(body string) {
	_, _ = fmt.Fprintf(c.conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// secretKey is a credential of somebody else.
const secretKey = "sk-of-somebody-else-0123456789"

// withKey has the process use a provider with a key.
func withKey(owner model.Owner) func(*registry.Options, *server.Home) {
	return func(s *registry.Options, o *server.Home) {
		s.Provider.Endpoint.APIKey, s.Provider.Endpoint.Owner = secretKey, owner
		o.Provider = s.Provider
	}
}

// asCopilot has the process use the Copilot API, with a token of its own unless it is "".
func asCopilot(token string) func(*registry.Options, *server.Home) {
	return func(s *registry.Options, o *server.Home) {
		s.Provider.Endpoint.Copilot, s.Provider.Endpoint.BearerToken, s.Provider.Endpoint.Owner = true, token, model.OfEnvironment
		o.Provider = s.Provider
	}
}

// carriedCase is whose credentials a call has, and whether the client that carries calls carries it.
type carriedCase struct {
	adjust  func(*registry.Options, *server.Home)
	started bool   // the client that carries has started the process
	first   string // the settings of another client, which creates the session; "": there is none
	mine    string // those of the client that carries
	other   func(other *peer)
	send    string // more of the message
	by      string // who sends it: "" or "other"
	joins   string // the settings of another client that resumes the session at last; "": there is none
	carries bool
}

const at = `"baseUrl":"http://model.test/v1"`

func own(provider string) string { return `,"provider":{"type":"openai",` + provider + `}` }

var carriedCases = map[string]carriedCase{
	"no credential": {carries: true},
	"a key of the environment, over a socket":        {adjust: withKey(model.OfEnvironment)},
	"a key of the environment, of the own process":   {adjust: withKey(model.OfEnvironment), started: true, carries: true},
	"a token of the environment, over a socket":      {adjust: asCopilot(secretKey)},
	"a token of the environment, of the own process": {adjust: asCopilot(secretKey), started: true, carries: true},
	"a key of which nobody knows the origin":         {adjust: withKey(""), started: true},
	"a key that the machine keeps": {started: true, adjust: func(s *registry.Options, _ *server.Home) {
		s.Provider.Endpoint.Owner = model.OfEnvironment
		s.Provider.Endpoint.Keys = func(context.Context, string) (string, error) { return secretKey, nil }
	}},
	"a key that the machine keeps for the client's address": {started: true, mine: own(at), adjust: func(s *registry.Options, _ *server.Home) {
		s.KeysAt = func(string) func(context.Context, string) (string, error) {
			return func(context.Context, string) (string, error) { return secretKey, nil }
		}
	}},
	"an address of a settings file, with a key": {started: true, adjust: func(s *registry.Options, _ *server.Home) {
		s.Provider.Endpoint.BaseURL += "?api_key=" + secretKey
		s.Provider.Endpoint.Owner = model.OfEnvironment
	}},
	"all keys are shown": {carries: true, adjust: func(s *registry.Options, o *server.Home) {
		withKey(model.OfMachine)(s, o)
		o.ShowKeys = true
	}},

	"the own key":              {mine: own(at + `,"apiKey":"mine"`), carries: true},
	"the own token":            {mine: own(at + `,"bearerToken":"mine"`), carries: true},
	"the own headers":          {mine: own(at + `,"headers":{"X-Key":"mine"}`), carries: true},
	"the own address":          {mine: own(`"baseUrl":"http://model.test/v1?key=mine"`), carries: true},
	"the own source of tokens": {mine: own(at + `,"hasBearerTokenProvider":true`), carries: true},
	"the own GitHub token":     {adjust: asCopilot(""), mine: `,"gitHubToken":"mine"`, carries: true},
	"the own named provider":   {mine: `,"model":"p/m","providers":[{"name":"p",` + at + `,"apiKey":"mine"}],"models":[{"provider":"p","id":"m"}]`, carries: true},
	"the own headers of a message": {
		send: `,"requestHeaders":{"Authorization":"Bearer mine"}`, carries: true,
	},

	"the key of another client":       {first: own(at + `,"apiKey":"` + secretKey + `"`)},
	"the token of another client":     {first: own(at + `,"bearerToken":"` + secretKey + `"`)},
	"a header of another client":      {first: own(at + `,"headers":{"X-Other":"` + secretKey + `"}`)},
	"the address of another client":   {first: own(`"baseUrl":"http://model.test/v1?sig=` + secretKey + `"`)},
	"the GitHub token of another one": {adjust: asCopilot(""), first: `,"gitHubToken":"` + secretKey + `"`},
	"the named provider of another one": {
		first: `,"model":"p/m","providers":[{"name":"p",` + at + `,"apiKey":"` + secretKey + `"}],"models":[{"provider":"p","id":"m"}]`,
	},
	"a provider that another client adds": {first: `,"model":"p/m"`, mine: `,"model":"p/m"`, other: func(other *peer) {
		other.call("session.provider.add", `{"sessionId":"s1","providers":[{"name":"p",`+at+`,"apiKey":"`+secretKey+`"}],"models":[{"provider":"p","id":"m"}]}`)
	}},
	"the headers of another client's message": {
		first: `,"model":"m"`, by: "other", send: `,"requestHeaders":{"Authorization":"Bearer ` + secretKey + `"}`,
	},
	"a key that another client brings to the session of the carrier": {joins: own(at + `,"apiKey":"` + secretKey + `"`), carries: true},
	"a key that another client brings after the carrier has joined": {
		first: `,"model":"m"`, joins: own(at + `,"apiKey":"` + secretKey + `"`),
	},
	"credentials that another client sets later": {
		adjust: asCopilot(""), first: `,"gitHubToken":"first"`, mine: `,"gitHubToken":"mine"`, other: func(other *peer) {
			other.call("session.gitHubAuth.setCredentials", `{"sessionId":"s1","credentials":{"type":"token","host":"https://github.com","token":"`+secretKey+`","copilotUser":{"login":"o"}}}`)
		},
	},
}

// A client that carries model calls carries those whose credentials it has brought itself, and is shown no
// other credential: the runtime makes the other calls, and says so once.
func TestAClientCarriesOnlyWithItsOwnCredentials(t *testing.T) {
	for name, tc := range carriedCases {
		t.Run(name, tc.run)
	}
}

func (tc carriedCase) run(t *testing.T) {
	inBubble(t, setup{Adjust: tc.adjust}, func(t *testing.T, p *process) {
		var other *peer
		method := "session.create"
		if tc.first != "" {
			other = p.connect()
			other.call("session.create", `{"sessionId":"s1"`+tc.first+`}`)
			method = "session.resume"
		}
		c := p.connect()
		if tc.started {
			c.hangUp()
			c = p.connectStarter()
		}
		shown := c.carry(secretKey)
		c.call(method, `{"sessionId":"s1"`+tc.mine+`}`)
		if tc.other != nil {
			tc.other(other)
		}
		if tc.joins != "" {
			p.connect().call("session.resume", `{"sessionId":"s1"`+tc.joins+`}`)
		}
		for run := 1; run <= 2; run++ {
			from := c
			if tc.by == "other" {
				from = other
			}
			from.request("session.send", `{"sessionId":"s1","prompt":"Hi."`+tc.send+`}`)
			c.event("s1", "session.idle", run)
		}
		text := shown()
		if carried := text != ""; carried != tc.carries {
			t.Errorf("carried: %v, want %v: %s", carried, tc.carries, text)
		}
		if !tc.carries && strings.Contains(text, secretKey) {
			t.Errorf("the client was shown a credential of another: %s", text)
		}
		if made := len(p.model.Requests()) > 0; made == tc.carries && !strings.Contains(tc.mine, "hasBearer") {
			t.Errorf("the runtime made calls: %v, and the client carries: %v", made, tc.carries)
		}
		warnings := 0
		for _, e := range c.events("s1", 0) {
			if e.Type == "session.warning" && strings.Contains(string(e.Data), "model_call_not_carried") {
				warnings++
			}
		}
		if want := map[bool]int{true: 0, false: 1}[tc.carries]; warnings != want {
			t.Errorf("%d warnings, want %d", warnings, want)
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// A session whose provider another client brought is not sent to the provider of the runtime because a client carries
// calls that it may not carry; and a list of models is asked for with the runtime's own key by the runtime.
func TestWhatMayNotBeCarriedGoesNowhereElse(t *testing.T) {
	inBubble(t, setup{Adjust: withKey(model.OfEnvironment)}, func(t *testing.T, p *process) {
		first := p.connect()
		first.call("session.create", `{"sessionId":"s1","model":"m","provider":{"type":"openai","baseUrl":"http://model.test/v1","apiKey":"mine"}}`)
		first.call("session.send", `{"sessionId":"s1","prompt":"Hi."}`)
		first.event("s1", "session.idle", 1)
		first.call("session.destroy", `{"sessionId":"s1"}`)
		before := len(p.model.Requests())
		c := p.connect()
		shown := c.carry("")
		c.call("session.resume", `{"sessionId":"s1"}`)
		c.call("session.send", `{"sessionId":"s1","prompt":"Hi again."}`)
		failed := c.event("s1", "session.error", 1)
		if !strings.Contains(string(failed.Data), "a provider that its client brought") || len(p.model.Requests()) != before || shown() != "" {
			t.Errorf("the run ends with %s after %d calls of the runtime; the client was shown %q", failed.Data, len(p.model.Requests())-before, shown())
		}
		c.answer(c.request("models.list", `{}`))
		if shown() != "" {
			t.Errorf("the client that asks for the models was shown %s", shown())
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// The headers of a message are sent to a provider of the sender or of the machine, and to no address that another
// client has brought to the session.
func TestHeadersOfAMessageGoToNoProviderOfOthers(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c, other := p.connect(), p.connect()
		c.call("session.create", `{"sessionId":"s1","model":"m"}`)
		other.call("session.resume", `{"sessionId":"s1"}`)
		const message = `{"sessionId":"s1","prompt":"Hi.","requestHeaders":{"X-Key":"` + secretKey + `"}}`
		c.call("session.send", message)
		c.event("s1", "session.idle", 1)
		if n := len(p.model.Requests()); n != 1 {
			t.Errorf("the provider of the machine had %d calls, want 1", n)
		}
		update := `{"sessionId":"s1","provider":{"type":"openai",` + at + `}}`
		other.call("session.options.update", update)
		c.call("session.send", message)
		failed := c.event("s1", "session.error", 1)
		if n := len(p.model.Requests()); n != 1 || !strings.Contains(string(failed.Data), "the requestHeaders of this message are not sent to this address") {
			t.Errorf("the other client's provider had %d calls, and the run ended with %s", n-1, failed.Data)
		}
		c.call("session.options.update", update)
		c.call("session.send", message)
		c.event("s1", "session.idle", 3)
		if n := len(p.model.Requests()); n != 2 {
			t.Errorf("the own provider had %d calls, want 1", n-1)
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}
