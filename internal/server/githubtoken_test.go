package server_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

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
