//go:build browser

package browser

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox/proxy"
	"github.com/sidestick-dev/sidestick/internal/testing/oauthtest"
)

// callback is the listener of a sign-in to an MCP server, to which the browser of the user comes back.
func callback(t *testing.T) door {
	service := oauthtest.Serve(http.NotFoundHandler())
	t.Cleanup(service.Close)
	flow, err := oauth.Begin(t.Context(), oauth.Options{Address: service.URL + "/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(flow.Close)
	type end struct {
		token oauth.Token
		err   error
	}
	ended := make(chan end, 1)
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		token, err := flow.Wait(context.Background()) // until flow.Close
		ended <- end{token, err}
	}()
	t.Cleanup(func() { flow.Close(); <-waiting })
	signIn, err := url.Parse(flow.URL)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(signIn.Query().Get("redirect_uri"))
	if err != nil {
		t.Fatal(err)
	}
	return door{
		name: "OAuth callback", port: back.Port(),
		paths: []string{back.Path + "?code=stolen&state=guess", back.Path + "?error=access_denied", back.Path},
		unchanged: func(t *testing.T) {
			select {
			case got := <-ended:
				t.Errorf("a page has ended the sign-in: %v", got.err)
			default:
			}
		},
		usable: func(t *testing.T) {
			if status, text := fetch(t, flow.URL); status != http.StatusOK {
				t.Errorf("the user comes back to %d %s", status, text)
			}
			if got := <-ended; got.err != nil || got.token.Access != oauthtest.Token {
				t.Errorf("the user is not signed in: %v", got.err)
			}
		},
	}
}

// sandboxProxy is the proxy of a sandbox. It listens inside the sandbox, where no browser is; this
// one is open to everybody and to every host.
func sandboxProxy(t *testing.T) door {
	var asked atomic.Int32
	p, err := proxy.New(proxy.Options{AllowLocalNetwork: true, Decide: func(permit.Connection) permit.Decision {
		asked.Add(1)
		return permit.Decision{Verdict: permit.Allow}
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return door{
		name: "sandbox proxy", port: portOf(t, l.Addr()), paths: []string{"/", "/http://evil.test/"},
		unchanged: func(t *testing.T) {
			if n := asked.Load(); n > 0 {
				t.Errorf("the proxy has decided about %d connections of pages", n)
			}
		},
		usable: func(t *testing.T) {
			far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "far away") }))
			defer far.Close()
			c := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()}), DisableKeepAlives: true}}
			resp, err := c.Get(far.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if data, _ := io.ReadAll(resp.Body); string(data) != "far away" || asked.Load() == 0 {
				t.Errorf("a program of the sandbox gets %s %q, after %d decisions", resp.Status, data, asked.Load())
			}
		},
	}
}

var at = regexp.MustCompile(`http://127\.0\.0\.1:(\d+)`)

// publishedKeys is `agent keys --serve`. Nothing can be changed there, and pages must not read it.
func publishedKeys(t *testing.T) door {
	const path = "/meta/public_keys/copilot_api"
	port := launch(t, exec.Command(binary, "agent", "keys", "--serve", "127.0.0.1:0"), t.TempDir(), at, make(chan struct{}))
	return door{
		name: "keys", port: port, paths: []string{path}, unchanged: func(*testing.T) {},
		usable: func(t *testing.T) {
			if status, text := fetch(t, "http://localhost:"+port+path); status != http.StatusOK || !strings.Contains(text, "BEGIN PUBLIC KEY") {
				t.Errorf("an author of an agent reads %d %s", status, text)
			}
		},
	}
}

// demoAgent is the agent of the demo. Its first confirmation is turn-1: any earlier request for one has
// taken this number.
func demoAgent(t *testing.T) door {
	port := launch(t, exec.Command(binary, "demo", "agent"), t.TempDir(), at, make(chan struct{}))
	ask := func(t *testing.T) string {
		t.Helper()
		resp, err := http.Post("http://localhost:"+port+"/", "application/json", strings.NewReader(agentText))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, _ := io.ReadAll(resp.Body)
		return resp.Status + " " + string(data)
	}
	return door{
		name: "demo agent", port: port, paths: []string{"/flags/copilot", "/"},
		unchanged: func(t *testing.T) {
			if said := ask(t); !strings.Contains(said, `"turn-1"`) {
				t.Errorf("the first question of the agent after the attack is %s", said)
			}
		},
		usable: func(t *testing.T) {
			if said := ask(t); !strings.Contains(said, `"turn-2"`) {
				t.Errorf("the second question of the agent is %s", said)
			}
			if status, text := fetch(t, "http://localhost:"+port+"/flags/copilot"); status != http.StatusOK || !strings.Contains(text, "The flag is on") {
				t.Errorf("the page of a flag is %d %s", status, text)
			}
		},
	}
}

// fetch gets a page, as the user's browser does.
func fetch(t *testing.T, address string) (status int, text string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}
