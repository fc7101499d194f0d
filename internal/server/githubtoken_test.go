package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// listener is an MCP service that accepts every request and notes the credentials that it gets.
type listener struct {
	mu   sync.Mutex
	seen []string
}

// RoundTrip implements [http.RoundTripper].
func (l *listener) RoundTrip(q *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.seen = append(l.seen, q.Header.Get("Authorization"))
	l.mu.Unlock()
	q.Header.Set("Authorization", "Bearer the-token")
	q.URL.Path = "/mcp"
	return guardedService{}.RoundTrip(q)
}

// take returns the credentials that were sent since the last take, each once.
func (l *listener) take() string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var each []string
	for _, s := range l.seen {
		if len(each) == 0 || each[len(each)-1] != s {
			each = append(each, s)
		}
	}
	l.seen = nil
	return strings.Join(each, ", ")
}

// withService has the MCP servers of sessions answered by a service.
func withService(l *listener) setup {
	return setup{Adjust: func(s *registry.Options, _ *server.Home) {
		s.MCP = func() mcp.Options { return mcp.Options{Web: l} }
	}}
}

// GitHub's server gets no token while it is disabled, by neither of its names and by no method, in no later
// process and in no fork, until a client enables it.
func TestADisabledServerGetsNoToken(t *testing.T) {
	for _, name := range []string{"github", "github-mcp-server"} {
		l := &listener{}
		inBubble(t, withService(l), func(t *testing.T, p *process) {
			const settings = `"gitHubToken":"secret-token","githubMcpToolConfig":{"enableAllTools":true}`
			ask := func(c *peer, id string) {
				for _, method := range []string{"session.mcp.oauth.probe", "session.mcp.oauth.login", "session.mcp.restartServer", "session.mcp.startServer"} {
					for _, called := range []string{"github", "github-mcp-server"} {
						if m := c.answer(c.request(method, `{"sessionId":"`+id+`","serverName":"`+called+`"}`)); !strings.Contains(m.failure.Message, "disabled") {
							t.Errorf("%s of %s answers %q", method, called, m.raw)
						}
					}
				}
				c.call("session.mcp.reload", `{"sessionId":"`+id+`"}`)
				c.call("session.mcp.oauth.authenticationStateChanged", `{"sessionId":"`+id+`","serverName":"github"}`)
				if sent := l.take(); sent != "" {
					t.Errorf("%s, disabled as %s, was sent to the server: %s", id, name, sent)
				}
			}
			c := p.connect()
			c.call("session.create", `{"sessionId":"s1",`+settings+`,"disabledMcpServers":["`+name+`"]}`)
			c.call("session.mcp.list", `{"sessionId":"s1"}`)
			ask(c, "s1")
			c.call("session.log", `{"sessionId":"s1","message":"There is a session."}`)

			fork := c.call("sessions.fork", `{"sessionId":"s1"}`)
			forked := strings.Split(strings.TrimPrefix(string(fork), `{"sessionId":"`), `"`)[0]
			c.call("session.resume", `{"sessionId":"`+forked+`",`+settings+`}`)
			c.call("session.mcp.list", `{"sessionId":"`+forked+`"}`)
			ask(c, forked)

			p.end()
			p.start()
			c = p.connect()
			c.call("session.resume", `{"sessionId":"s1",`+settings+`}`)
			c.call("session.mcp.list", `{"sessionId":"s1"}`)
			ask(c, "s1")

			c.call("session.mcp.enable", `{"sessionId":"s1","serverName":"`+name+`"}`)
			if sent := l.take(); sent != "Bearer secret-token" {
				t.Errorf("after it was enabled, %q was sent", sent)
			}
			c.call("session.mcp.disable", `{"sessionId":"s1","serverName":"`+name+`"}`)
			l.take()
			p.end()
			p.start()
			c = p.connect()
			c.call("session.resume", `{"sessionId":"s1",`+settings+`}`)
			c.call("session.mcp.list", `{"sessionId":"s1"}`)
			ask(c, "s1")
		})
	}
}

// After session.gitHubAuth.setCredentials, GitHub's server gets the new token and never again the old one.
func TestGitHubsServerGetsTheTokenOfNow(t *testing.T) {
	l := &listener{}
	inBubble(t, withService(l), func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1","gitHubToken":"old","githubMcpToolConfig":{}}`)
		c.call("session.mcp.startServer", `{"sessionId":"s1","serverName":"github"}`)
		if sent := l.take(); sent != "Bearer old" {
			t.Errorf("at first, %q was sent", sent)
		}
		c.call("session.gitHubAuth.setCredentials", `{"sessionId":"s1","credentials":{"type":"token","host":"https://github.com","token":"new","copilotUser":{"login":"o"}}}`)
		synctest.Wait()
		for _, method := range []string{"session.mcp.restartServer", "session.mcp.oauth.probe", "session.mcp.reload"} {
			l.take() // the end of the connection before still has its token
			c.call(method, `{"sessionId":"s1","serverName":"github"}`)
			if sent := l.take(); sent != "Bearer new" {
				t.Errorf("%s sent %q", method, sent)
			}
		}
	})
}

// givesTokens has a client answer gitHubToken.getToken with what answer returns for its parameters, the rest of a
// JSON-RPC message; "" is no answer. calls returns the parameters of each call, one a line.
func (c *peer) givesTokens(answer func() string) (calls func() string) {
	var mu sync.Mutex
	var all []string
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = func(m message) {
		var call struct{ ID, Params json.RawMessage }
		if m.method != "gitHubToken.getToken" || json.Unmarshal(m.raw, &call) != nil {
			return
		}
		mu.Lock()
		all = append(all, string(call.Params))
		mu.Unlock()
		if text := answer(); text != "" {
			c.send(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,` + text + `}`)
		}
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Join(all, "\n")
		all = nil
		return text
	}
}

// A session whose client gives tokens asks for one when it is created, keeps it until an hour before it expires, and
// then asks for the next one. A token that cannot be renewed is used until it has expired.
func TestAClientGivesTheTokenOfASession(t *testing.T) {
	withKeys := func(s *registry.Options, o *server.Home) {
		asCopilot("of-the-process")(s, o)
		o.ShowKeys = true
	}
	inBubble(t, setup{Adjust: withKeys}, func(t *testing.T, p *process) {
		c := p.connect()
		answer := `"result":{"kind":"token","accessToken":"first-token-0123","expiresIn":28800}`
		calls := c.givesTokens(func() string { return answer })
		endpoint := func(want string) {
			t.Helper()
			m := c.answer(c.request("session.provider.getEndpoint", `{"sessionId":"s1"}`))
			if !strings.Contains(string(m.raw), want) {
				t.Errorf("the endpoint is %s, want %s", m.raw, want)
			}
		}
		asked := func(want string) {
			t.Helper()
			if got := calls(); got != want {
				t.Errorf("the client was asked\n%s\nwant\n%s", got, want)
			}
		}
		c.call("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1"}`)
		asked(`{"registrationId":"r1","host":"github.com","sessionId":"s1","reason":"initial"}`)
		endpoint(`"apiKey":"first-token-0123"`)
		time.Sleep(7*time.Hour - time.Second)
		endpoint(`"apiKey":"first-token-0123"`)
		asked("")

		answer = `"result":{"kind":"token","accessToken":"second-token-0123","expiresIn":60,"tokenType":"Bearer"}`
		time.Sleep(time.Second)
		endpoint(`"apiKey":"second-token-0123"`)
		endpoint(`"apiKey":"second-token-0123"`)
		asked(`{"registrationId":"r1","host":"github.com","sessionId":"s1","reason":"refresh"}`)

		answer = `"error":{"code":-32603,"message":"no network"}`
		time.Sleep(30 * time.Second)
		endpoint(`"apiKey":"second-token-0123"`)
		time.Sleep(30 * time.Second)
		endpoint(`no GitHub token: client.gitHubToken.getToken: no network (check the gitHubTokenProvider of the client)`)

		c.call("session.log", `{"sessionId":"s1","message":"It was first-token-0123, then second-token-0123."}`)
		for _, line := range p.stored("s1") {
			if strings.Contains(string(line), "token-0123") {
				t.Errorf("the log has a token: %s", line)
			}
		}
	})
}

// A token is not used after it has expired, however short its life was when it could not be renewed. The client is told
// the session's id, also of one that it has created without an id.
func TestATokenThatExpiresSoon(t *testing.T) {
	withKeys := func(s *registry.Options, o *server.Home) {
		asCopilot("of-the-process")(s, o)
		o.ShowKeys = true
	}
	inBubble(t, setup{Adjust: withKeys}, func(t *testing.T, p *process) {
		c := p.connect()
		answer := `"result":{"kind":"token","accessToken":"first-token-0123","expiresIn":40}`
		calls := c.givesTokens(func() string { return answer })
		var created struct{ SessionID string }
		if err := json.Unmarshal(c.call("session.create", `{"gitHubTokenProviderRegistrationId":"r1"}`), &created); err != nil || created.SessionID == "" {
			t.Fatalf("session.create answers no sessionId: %v", err)
		}
		asked := func(reason string) {
			t.Helper()
			if got, want := calls(), `{"registrationId":"r1","host":"github.com","sessionId":"`+created.SessionID+`","reason":"`+reason+`"}`; got != want {
				t.Errorf("the client was asked\n%s\nwant\n%s", got, want)
			}
		}
		endpoint := func(want string) {
			t.Helper()
			m := c.answer(c.request("session.provider.getEndpoint", `{"sessionId":"`+created.SessionID+`"}`))
			if !strings.Contains(string(m.raw), want) {
				t.Errorf("the endpoint is %s, want %s", m.raw, want)
			}
		}
		asked("initial")
		answer = `"error":{"code":-32603,"message":"no network"}`
		time.Sleep(35 * time.Second)
		endpoint(`"apiKey":"first-token-0123"`)
		asked("refresh")
		time.Sleep(5 * time.Second)
		endpoint(`no GitHub token: client.gitHubToken.getToken: no network`)
		asked("refresh")
	})
}

// When the client that gives the token has left, the others of its session get the old one until that expires, and then
// the reason, at once.
func TestTheClientThatGivesATokenLeaves(t *testing.T) {
	withKeys := func(s *registry.Options, o *server.Home) {
		asCopilot("of-the-process")(s, o)
		o.ShowKeys = true
	}
	inBubble(t, setup{Adjust: withKeys}, func(t *testing.T, p *process) {
		c, other := p.connect(), p.connect()
		c.givesTokens(func() string { return `"result":{"kind":"token","accessToken":"first-token-0123","expiresIn":40}` })
		c.call("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1"}`)
		other.call("session.resume", `{"sessionId":"s1"}`)
		c.conn.Close()
		for _, step := range []struct {
			wait time.Duration
			want string
		}{{35 * time.Second, `"apiKey":"first-token-0123"`}, {5 * time.Second, "no GitHub token: the client that answers gitHubToken.getToken has left"}} {
			time.Sleep(step.wait)
			from := time.Now()
			m := other.answer(other.request("session.provider.getEndpoint", `{"sessionId":"s1"}`))
			if took := time.Since(from); !strings.Contains(string(m.raw), step.want) || took > time.Second {
				t.Errorf("after %v the endpoint is %s, want %s", took, m.raw, step.want)
			}
		}
	})
}

// A client that gives no token gets no session, which would act with the token of the process.
func TestASessionWithoutTheTokenOfItsClientIsRefused(t *testing.T) {
	inBubble(t, setup{Adjust: asCopilot("of-the-process")}, func(t *testing.T, p *process) {
		c := p.connect()
		for answer, want := range map[string]string{
			``:                              "has not answered gitHubToken.getToken within 1m0s",
			`"result":{"kind":"cancelled"}`: "has cancelled gitHubToken.getToken",
			`"result":{}`:                   "without a token",
			`"result":null`:                 "without a token",
			`"result":{"kind":"token","accessToken":7}`:                                      "cannot be read",
			`"result":{"kind":"token","accessToken":"t"}`:                                    "without expiresIn",
			`"result":{"kind":"token","accessToken":"t","expiresIn":-1}`:                     "not above 0",
			`"result":{"kind":"token","accessToken":"t","expiresIn":9000,"tokenType":"mac"}`: "only bearer tokens",
			`"error":{"code":-32603,"message":"unknown GitHub token provider registration"}`: "unknown GitHub token provider registration",
			`"error":{"code":-32601,"message":"Unhandled method"}`:                           "Unhandled method",
		} {
			c.givesTokens(func() string { return answer })
			m := c.answer(c.request("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1"}`))
			if !strings.Contains(m.failure.Message, "no GitHub token: ") || !strings.Contains(m.failure.Message, want) {
				t.Errorf("after %s, session.create answers %s, want %q", answer, m.raw, want)
			}
		}
		m := c.answer(c.request("session.create", `{"sessionId":"s1","gitHubToken":"t","gitHubTokenProviderRegistrationId":"r1"}`))
		if !strings.Contains(m.failure.Message, "send one of them") {
			t.Errorf("both: %s", m.raw)
		}
	})
}

// GitHub's server gets each new token of the client, but not after somebody else has given the session a token.
func TestGitHubsServerGetsTheTokensOfTheClient(t *testing.T) {
	l := &listener{}
	with := withService(l)
	service := with.Adjust
	with.Adjust = func(s *registry.Options, o *server.Home) {
		service(s, o)
		asCopilot("of-the-process")(s, o)
		o.ShowKeys = true
	}
	inBubble(t, with, func(t *testing.T, p *process) {
		c := p.connect()
		n := 0
		c.givesTokens(func() string {
			n++
			return fmt.Sprintf(`"result":{"kind":"token","accessToken":"token-%d","expiresIn":28800}`, n)
		})
		sent := func(want string) {
			t.Helper()
			l.take() // the end of the connection before still has its token
			c.call("session.mcp.restartServer", `{"sessionId":"s1","serverName":"github"}`)
			if got := l.take(); got != want {
				t.Errorf("GitHub's server was sent %q, want %q", got, want)
			}
		}
		c.call("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1","githubMcpToolConfig":{}}`)
		sent("Bearer token-1")
		time.Sleep(8 * time.Hour)
		c.call("session.provider.getEndpoint", `{"sessionId":"s1"}`)
		sent("Bearer token-2")
		c.call("session.gitHubAuth.setCredentials", `{"sessionId":"s1","credentials":{"type":"token","host":"https://github.com","token":"new","copilotUser":{"login":"o"}}}`)
		time.Sleep(8 * time.Hour)
		c.call("session.provider.getEndpoint", `{"sessionId":"s1"}`)
		sent("Bearer new")
	})
}

// A token that no request can carry is refused wherever it comes from, and tells nothing about GitHub: the token of
// another client is checked as before.
func TestATokenThatNoRequestCanCarry(t *testing.T) {
	inBubble(t, setup{GitHub: map[string]json.RawMessage{"good": json.RawMessage(`{"login":"o"}`)}}, func(t *testing.T, p *process) {
		c := p.connect()
		refused := func(method, params, want string) {
			t.Helper()
			if m := c.answer(c.request(method, params)); !strings.Contains(m.failure.Message, want) {
				t.Errorf("%s %.80s answers %.200s, want %q", method, params, m.raw, want)
			}
		}
		c.call("session.create", `{"sessionId":"s1","gitHubToken":"good"}`)
		const control = "a control character such as the end of a line"
		for token, want := range map[string]string{`ghu_x\ny`: control, `good\r`: control, `go od`: "a space", `gööd`: "outside of ASCII", strings.Repeat("x", 8<<10+1): "more than 8 KiB"} {
			refused("session.create", `{"sessionId":"s2","gitHubToken":"`+token+`"}`, want)
			refused("account.login", `{"token":"`+token+`"}`, want)
			refused("account.getQuota", `{"gitHubToken":"`+token+`"}`, want)
			refused("models.list", `{"gitHubToken":"`+token+`"}`, want)
			refused("session.gitHubAuth.setCredentials", `{"sessionId":"s1","credentials":{"type":"token","host":"https://github.com","token":"`+token+`","copilotUser":{"login":"o"}}}`, want)
			c.givesTokens(func() string {
				return `"result":{"kind":"token","accessToken":"` + token + `","expiresIn":9000}`
			})
			refused("session.create", `{"sessionId":"s2","gitHubTokenProviderRegistrationId":"r1"}`, want)
			refused("session.create", `{"sessionId":"s2","gitHubToken":"revoked"}`, "gitHubToken is not valid")
		}
	})
}

// An answer of GitHub that is no user, which a client's token may have caused, does not end the check of other tokens.
func TestAStrangeAnswerEndsNoCheck(t *testing.T) {
	inBubble(t, setup{GitHub: map[string]json.RawMessage{"odd": json.RawMessage(`{"login":7}`)}}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1","gitHubToken":"odd"}`)
		if m := c.answer(c.request("session.create", `{"sessionId":"s2","gitHubToken":"revoked"}`)); !strings.Contains(m.failure.Message, "gitHubToken is not valid") {
			t.Errorf("the token of another client: %s", m.raw)
		}
	})
}

// With a provider of its own, too, a session gives GitHub's server each new token of the client.
func TestGitHubsServerGetsTheTokensInASessionWithAProvider(t *testing.T) {
	l := &listener{}
	inBubble(t, withService(l), func(t *testing.T, p *process) {
		c := p.connect()
		n := 0
		c.givesTokens(func() string {
			n++
			return fmt.Sprintf(`"result":{"kind":"token","accessToken":"token-%d","expiresIn":28800}`, n)
		})
		sent := func(want string) {
			t.Helper()
			l.take()
			c.call("session.mcp.restartServer", `{"sessionId":"s1","serverName":"github"}`)
			if got := l.take(); got != want {
				t.Errorf("GitHub's server was sent %q, want %q", got, want)
			}
		}
		c.call("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1","githubMcpToolConfig":{},"model":"m","provider":{"type":"openai","baseUrl":"http://model.test/v1","apiKey":"k"}}`)
		sent("Bearer token-1")
		time.Sleep(8 * time.Hour)
		c.call("session.send", `{"sessionId":"s1","prompt":"go"}`)
		c.event("s1", "session.idle", 1)
		sent("Bearer token-2")
	})
}

// While the old token can be used, a client that does not answer holds up a call for some seconds once, and later calls not
// at all.
func TestAClientThatTakesItsTimeToRenewAToken(t *testing.T) {
	withKeys := func(s *registry.Options, o *server.Home) {
		asCopilot("of-the-process")(s, o)
		o.ShowKeys = true
	}
	inBubble(t, setup{Adjust: withKeys}, func(t *testing.T, p *process) {
		c := p.connect()
		answer := `"result":{"kind":"token","accessToken":"first-token-0123","expiresIn":170}`
		c.givesTokens(func() string { return answer })
		endpoint := func(want string, within time.Duration) {
			t.Helper()
			begin := time.Now()
			m := c.answer(c.request("session.provider.getEndpoint", `{"sessionId":"s1"}`))
			if took := time.Since(begin); took != within || !strings.Contains(string(m.raw), want) {
				t.Errorf("after %v the endpoint is %s, want %s after %v", took, m.raw, want, within)
			}
		}
		c.call("session.create", `{"sessionId":"s1","gitHubTokenProviderRegistrationId":"r1"}`)
		answer = ""
		time.Sleep(88 * time.Second)
		endpoint(`"apiKey":"first-token-0123"`, 5*time.Second)
		endpoint(`"apiKey":"first-token-0123"`, 0)
		time.Sleep(76 * time.Second) // the client has had its minute, and the token has one second
		endpoint(`"apiKey":"first-token-0123"`, 0)
	})
}
