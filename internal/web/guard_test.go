package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// access is a request, and whether the server answers it.
type access struct {
	name   string
	opts   web.Options
	path   string
	header []string
	status int
	want   string // in the body
}

const accessToken = "open-sesame"

func TestAccessToTheAgent(t *testing.T) {
	keys := publicKeys(t)
	tokened := web.Options{Loopback: true, Token: accessToken}
	checkAccess(t, `{"copilot_thread_id":"t1","messages":[{"role":"user","content":"Hi."}]}`, []access{
		{"this machine", local, "/", nil, 200, "[DONE]"},
		{"by number", local, "/", []string{"Host", "127.0.0.1:8080"}, 200, "[DONE]"},
		{"by the other number", local, "/", []string{"Host", "[::1]:8080"}, 200, "[DONE]"},
		{"a name that points here", local, "/", []string{"Host", "evil.test:8080"}, 403, "must be sent to localhost"},
		{"a name that looks like it", local, "/", []string{"Host", "localhost.evil.test"}, 403, "must be sent to localhost"},
		{"an address of others", local, "/", []string{"Host", "10.0.0.1"}, 403, "must be sent to localhost"},
		{"a page of another origin", local, "/", []string{"Origin", "https://evil.test"}, 403, "other origins"},
		{"a page of another port", local, "/", []string{"Origin", "http://localhost:3000"}, 403, "other origins"},
		{"a page without an origin", local, "/", []string{"Origin", "null"}, 403, "other origins"},
		{"a page that names no origin", local, "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403, "other origins"},
		{"a form, as text", local, "/", []string{"Content-Type", "text/plain; charset=utf-8"}, 415, "Content-Type application/json"},
		{"a form, in parts", local, "/", []string{"Content-Type", "Multipart/Form-Data; boundary=x"}, 415, "Content-Type application/json"},
		{"curl without a type", local, "/", []string{"Content-Type", "application/x-www-form-urlencoded"}, 200, "[DONE]"},
		{"a page of this origin", local, "/", []string{"Origin", "http://localhost"}, 200, "[DONE]"},
		{"a page of a name that points here", local, "/", []string{"Origin", "http://evil.test", "Host", "evil.test"}, 403, "must be sent to localhost"},
		{"not signed, though there are keys", web.Options{Keys: keys, Token: accessToken}, "/", nil, 401, "not signed"},
		{"not signed, from here", web.Options{Loopback: true, Keys: keys}, "/", nil, 401, "not signed"},
		{"without the token", tokened, "/", nil, 401, "--token-env COPILOT_CONNECTION_TOKEN"},
		{"with another", tokened, "/", []string{"X-GitHub-Token", "open-sesam"}, 401, "the connection token is wrong or missing"},
		{"with it as the token of the user", tokened, "/", []string{"X-GitHub-Token", accessToken}, 200, "[DONE]"},
		{"with it as a bearer token", tokened, "/", []string{"Authorization", "Bearer open-sesame"}, 200, "[DONE]"},
		{"with it, by a name that points here", tokened, "/", []string{"Authorization", "Bearer open-sesame", "Host", "evil.test"}, 403, "must be sent to localhost"},
		{"with it, from a page", tokened, "/", []string{"Authorization", "Bearer open-sesame", "Origin", "https://evil.test"}, 403, "other origins"},
		{"with it, though there are keys", web.Options{Loopback: true, Keys: keys, Token: accessToken}, "/", []string{"Authorization", "Bearer open-sesame"}, 401, "not signed"},
		{"no keys, and not from this machine", web.Options{}, "/", nil, 403, "no keys and no token"},
	})
}

func TestAccessToTheModel(t *testing.T) {
	keys := publicKeys(t)
	tokened := web.Options{Loopback: true, Token: accessToken}
	checkAccess(t, `{"messages":[{"role":"user","content":"Hi."}]}`, []access{
		{"the model, from here", local, "/v1/chat/completions", nil, 200, `"Hello."`},
		{"the model, by a name that points here", local, "/v1/chat/completions", []string{"Host", "evil.test"}, 403, `"permission_error"`},
		{"the model, from a page", local, "/v1/chat/completions", []string{"Origin", "https://evil.test"}, 403, `"permission_error"`},
		{"the model, from a page that names no origin", local, "/v1/chat/completions", []string{"Sec-Fetch-Site", "same-site"}, 403, `"permission_error"`},
		{"the model, by a form", local, "/v1/chat/completions", []string{"Content-Type", "text/plain"}, 415, "Content-Type application/json"},
		{"the model, without the token", tokened, "/v1/chat/completions", nil, 401, `"authentication_error"`},
		{"the model, with another", tokened, "/v1/chat/completions", []string{"Authorization", "Bearer open-sesam"}, 401, `"authentication_error"`},
		{"the model, with the token as a password", tokened, "/v1/chat/completions", []string{"Authorization", "Basic open-sesame"}, 401, `"authentication_error"`},
		{"the model, with it", tokened, "/v1/chat/completions", []string{"Authorization", "Bearer open-sesame"}, 200, `"Hello."`},
		{"the model, with it, from afar", web.Options{Keys: keys, Token: accessToken}, "/v1/chat/completions", []string{"Authorization", "bearer open-sesame", "Host", "agent.example"}, 200, `"Hello."`},
		{"the model, with no token set", web.Options{Keys: keys}, "/v1/chat/completions", []string{"Authorization", "Bearer "}, 403, "no keys and no token"},
		{"nothing", local, "/v1/completions", nil, 404, `"invalid_request_error"`},
		{"nothing at all", local, "/agent", nil, 404, ""},
	})
}

// A link to the agent's page works from everywhere; pictures, scripts and frames do not.
func TestBrowsersSayWhatTheyOpen(t *testing.T) {
	bubble(t, local, func(p *process) {
		for _, tc := range []struct {
			path, site, mode, dest string
			want                   int
		}{
			{"/", "cross-site", "navigate", "document", 200},
			{"/", "none", "navigate", "document", 200},
			{"/", "cross-site", "navigate", "iframe", 403},
			{"/", "cross-site", "no-cors", "image", 403},
			{"/v1/models", "cross-site", "navigate", "document", 403},
			{"/v1/models", "same-site", "no-cors", "script", 403},
			{"/v1/models", "same-origin", "cors", "empty", 200},
		} {
			req, _ := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://localhost"+tc.path, http.NoBody)
			req.Header.Set("Sec-Fetch-Site", tc.site)
			req.Header.Set("Sec-Fetch-Mode", tc.mode)
			req.Header.Set("Sec-Fetch-Dest", tc.dest)
			resp, err := p.host.Transport().RoundTrip(req)
			if err != nil {
				p.t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != tc.want {
				p.t.Errorf("%+v: %d", tc, resp.StatusCode)
			}
		}
	})
}

func publicKeys(t *testing.T) extension.KeySource {
	t.Helper()
	keys, err := extension.FixedKeys(platformKey)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// checkAccess posts a body to each path, and compares the answer.
func checkAccess(t *testing.T, body string, all []access) {
	t.Helper()
	for _, tc := range all {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, tc.opts, func(p *process) {
				resp := p.post(p.t.Context(), tc.path, body, tc.header...)
				defer resp.Body.Close()
				data, _ := io.ReadAll(resp.Body)
				if resp.StatusCode != tc.status || !strings.Contains(string(data), tc.want) {
					p.t.Errorf("%d %s\nwant %d with %s", resp.StatusCode, data, tc.status, tc.want)
				}
				if n := len(p.model.Requests()); (n > 0) != (tc.status == 200) {
					p.t.Errorf("the model was called %d times", n)
				}
			}, says("Hello."))
		})
	}
}

// A browser opens the agent's page after its user has authorised the agent, without a token.
func TestGETSaysWhatThisIs(t *testing.T) {
	saysWhatThisIs(t, local, map[string]string{"/": "agent of Sidestick", "/v1/models": `"id":"sidestick"`})
	saysWhatThisIs(t, web.Options{Loopback: true, Token: accessToken}, map[string]string{"/": "agent of Sidestick"})
}

func saysWhatThisIs(t *testing.T, o web.Options, pages map[string]string) {
	t.Helper()
	bubble(t, o, func(p *process) {
		for path, want := range pages {
			req, _ := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
			resp, err := p.host.Transport().RoundTrip(req)
			if err != nil {
				p.t.Fatal(err)
			}
			data, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != 200 || !strings.Contains(string(data), want) {
				p.t.Errorf("GET %s: %d %s, want %s", path, resp.StatusCode, data, want)
			}
		}
	})
}

// platformKey is a public key whose private half does not exist any more.
const platformKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEenO7zZmp9fGQpenZF8rhjtTPX01Z
U61wuhmhgXObx1RtogYmcjH5qLDgKLAPHBtTnI53CVpSzh8BiL/0SNqKpw==
-----END PUBLIC KEY-----`
