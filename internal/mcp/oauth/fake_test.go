package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// fake is an MCP server with its own authorization server. Its fields change what it does.
type fake struct {
	*httptest.Server
	resource  string // what its metadata are about; "": itself
	issuer    string // the one in the metadata; "": itself
	issuers   string // the authorization server that it names; "": itself
	token     string // its token endpoint; "": its own
	noPKCE    bool
	namesIss  bool
	redirects string // where the token endpoint redirects to
	gives     string // what the token endpoint answers; "": a token

	mu        sync.Mutex
	challenge string
	forms     []url.Values // that the token endpoint got
	metadata  int          // how often the metadata of the server were read
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		f.metadata++
		f.mu.Unlock()
		f.json(w, map[string]any{"resource": or(f.resource, f.URL+"/mcp"), "authorization_servers": []string{or(f.issuers, f.URL)}, "scopes_supported": []string{"read"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		doc := map[string]any{
			"issuer": or(f.issuer, f.URL), "authorization_endpoint": f.URL + "/authorize?tenant=1", "token_endpoint": or(f.token, f.URL+"/token"),
			"registration_endpoint": f.URL + "/register", "code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"read", "offline_access"},
			"authorization_response_iss_parameter_supported": f.namesIss,
		}
		if f.noPKCE {
			delete(doc, "code_challenge_methods_supported")
		}
		f.json(w, doc)
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, q *http.Request) {
		var sent struct {
			Redirects []string `json:"redirect_uris"`
			Name      string   `json:"client_name"`
		}
		if err := json.NewDecoder(q.Body).Decode(&sent); err != nil || len(sent.Redirects) != 1 || !strings.HasPrefix(sent.Redirects[0], "http://127.0.0.1:") || sent.Name != "Sidestick" {
			t.Errorf("registered: %+v, %v", sent, err)
		}
		w.WriteHeader(http.StatusCreated)
		f.json(w, map[string]any{"client_id": "made"})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, q *http.Request) {
		_ = q.ParseForm()
		f.mu.Lock()
		f.forms = append(f.forms, q.PostForm)
		challenge := f.challenge
		f.mu.Unlock()
		sum := sha256.Sum256([]byte(q.PostForm.Get("code_verifier")))
		switch {
		case f.redirects != "":
			http.Redirect(w, q, f.redirects, http.StatusTemporaryRedirect)
		case f.gives != "":
			_, _ = io.WriteString(w, f.gives)
		case q.PostForm.Get("grant_type") == "authorization_code" && base64.RawURLEncoding.EncodeToString(sum[:]) != challenge:
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		default:
			f.json(w, map[string]any{"access_token": "access", "token_type": "bearer", "refresh_token": "refresh", "expires_in": 3600, "scope": "read"})
		}
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) json(w http.ResponseWriter, doc any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// agree is the user who agrees: the browser comes back with these changes to what it brings.
func (f *fake) agree(t *testing.T, flow *Flow, change func(url.Values)) (status int) {
	t.Helper()
	page, err := url.Parse(flow.URL)
	if err != nil {
		t.Fatal(err)
	}
	asked := page.Query()
	f.mu.Lock()
	f.challenge = asked.Get("code_challenge")
	f.mu.Unlock()
	back := url.Values{"code": {"the code"}, "state": {asked.Get("state")}}
	if change != nil {
		change(back)
	}
	res, err := http.Get(asked.Get("redirect_uri") + "?" + back.Encode())
	if err != nil {
		t.Error(err)
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// begin begins to sign in to the server.
func (f *fake) begin(t *testing.T, o Options) (*Flow, error) {
	t.Helper()
	o.Address = f.URL + "/mcp"
	flow, err := Begin(t.Context(), o)
	if flow != nil {
		t.Cleanup(flow.Close)
	}
	return flow, err
}

func must(t *testing.T, flow *Flow, err error) *Flow {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// answers is a server that answers everything in one way.
func answers(t *testing.T, text string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, text) }))
	t.Cleanup(s.Close)
	return s
}
