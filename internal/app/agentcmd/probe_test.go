package agentcmd

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// An agent sees two requests that it should refuse, which carry no token; one as a platform
// sends it, with the token and signed for both kinds of readers; a browser's; and the two
// wrong ones with the token. The token is not printed, even if the agent sends it back.
func TestWhatAnAgentSeesOfACheck(t *testing.T) {
	const token = "gho_very_secret_token"
	var seen []*http.Request
	var bodies [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen, bodies = append(seen, r), append(bodies, body)
		if len(seen) != 3 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; for="+r.Header.Get("X-GitHub-Token"))
		_, _ = io.WriteString(w, `event: copilot_confirmation`+"\n"+`data: {"type":"`+r.Header.Get("X-GitHub-Token")+`","title":"t"}`+"\n\n")
	}))
	defer server.Close()
	var out bytes.Buffer
	home := t.TempDir()
	o := &cli.Options{Sys: cli.System{Stdout: &out, Getenv: func(name string) string {
		return map[string]string{"SIDESTICK_HOME": home, "TOKEN": token}[name]
	}}}
	for _, asJSON := range []bool{false, true} {
		seen, bodies = nil, nil
		c := &agentCheck{url: server.URL + "#tide", message: "Tides?", tokenEnv: "TOKEN", timeout: checkTimeout, asJSON: asJSON}
		if err := checkAgent(t.Context(), o, c); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("the check ends with %v", err)
		}
	}
	if strings.Contains(out.String(), token) || !strings.Contains(out.String(), "«redacted»") {
		t.Errorf("the token is printed, or what it was said with is not:\n%s", out.String())
	}
	signer, err := signerOf(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		method, token string
		pairs         int
		verified      bool
	}{{"POST", "", 0, false}, {"POST", "", 2, false}, {"POST", token, 2, true}, {"GET", "", 0, false}, {"POST", token, 0, false}, {"POST", token, 2, false}} {
		r := seen[i]
		pairs, verified := signatures(t, signer, r.Header, bodies[i])
		if r.Method != want.method || r.Header.Get("X-GitHub-Token") != want.token || pairs != want.pairs || verified != want.verified {
			t.Errorf("request %d is %s with %d signatures, verified %v, and the headers %v; want %+v", i, r.Method, pairs, verified, r.Header, want)
		}
	}
	if r, err := extension.ParseRequest(bodies[0]); err != nil || r.Prompt() != "Tides?" || r.ThreadID == "" || r.Agent != "tide" {
		t.Errorf("it is asked %s, %v", bodies[0], err)
	}
}

// The check tells an agent that verifies signatures from one that only seems to, and sends the
// user's token to no agent that does not refuse a wrong request without it.
func TestRefusals(t *testing.T) {
	const (
		token   = "gho_very_secret_token"
		text    = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hi\"}}]}\n\n"
		began   = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
		errs    = "event: copilot_errors\ndata: [{\"type\":\"agent\",\"code\":\"unauthorized\",\"message\":\"No.\",\"identifier\":\"1\"}]\n\n"
		anybody = "note the request is answered, with 200: anybody can use the agent"
		unknown = "note it is not known whether such a request is refused, because the signed request is not answered either"
	)
	for _, tc := range []struct {
		name     string
		agent    func(signed, hasToken bool) string // the body of the answer, or "401"
		token    bool                               // the user gives one
		sent     bool                               // the agent gets it
		unsigned string
	}{
		{"it verifies", func(signed, _ bool) string { return either(signed, text, "401") }, true, true, "ok the request is refused, with 401"},
		{"it verifies, and says so in its answer", func(signed, _ bool) string { return either(signed, text, began+errs) }, true, true, "ok the request is refused, with 200 and copilot_errors"},
		{"it says so as JSON", func(signed, _ bool) string { return either(signed, text, `{"error":{"message":"no"}}`) }, false, false, "ok the request is refused, with 200 and copilot_errors"},
		{"it answers, and reports an error besides", func(bool, bool) string { return text + errs }, true, false, anybody},
		{"it verifies nothing", func(bool, bool) string { return text }, true, false, anybody},
		{
			"it verifies nothing, and wants a token", func(_, hasToken bool) string { return either(hasToken, text, "401") }, true, true,
			"note the request is answered, with 200, because of the token: any program with a token of a user can use the agent",
		},
		{"it wants a token, and gets none", func(_, hasToken bool) string { return either(hasToken, text, "401") }, false, false, unknown},
		{"it reports an error to everybody", func(bool, bool) string { return errs }, true, true, unknown},
		{"it says nothing to strangers", func(signed, _ bool) string { return either(signed, text, began) }, true, false, "note the request gets 200, but neither an answer nor an error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, sent := checkedAgent(t, tc.agent, token, tc.token)
			for _, about := range []string{"unsigned", "forged"} {
				if got := found(r, about); got != tc.unsigned {
					t.Errorf("%s is %q, want %q", about, got, tc.unsigned)
				}
			}
			if isNamed := found(r, "token") != ""; sent != tc.sent || isNamed != (tc.token && !tc.sent) {
				t.Errorf("the token is sent: %v, want %v; it is named: %v", sent, tc.sent, isNamed)
			}
		})
	}
}

// checkedAgent checks an agent, with the token of the user if it is given, and reports whether
// the agent got the token.
func checkedAgent(t *testing.T, agent func(signed, hasToken bool) string, token string, given bool) (r *checked, sent bool) {
	t.Helper()
	var signer *extension.Signer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		pairs, verified := signatures(t, signer, r.Header, body)
		sent = sent || r.Header.Get("X-GitHub-Token") != ""
		if answer := agent(pairs == 2 && verified, r.Header.Get("X-GitHub-Token") == token); answer != "401" {
			_, _ = io.WriteString(w, answer)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	home, c := t.TempDir(), &agentCheck{url: server.URL, message: "Tides?", timeout: checkTimeout}
	if given {
		c.tokenEnv = "TOKEN"
	}
	o := &cli.Options{Sys: cli.System{Getenv: func(name string) string { return map[string]string{"SIDESTICK_HOME": home, "TOKEN": token}[name] }}}
	var err error
	if signer, err = signerOf(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if r, err = checkURL(t.Context(), o, c); err != nil {
		t.Fatal(err)
	}
	return r, sent
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// found is the finding about a subject, after its grade.
func found(r *checked, about string) string {
	for _, f := range r.Findings {
		switch {
		case f.About == about && f.Severity == "":
			return "ok " + f.Text
		case f.About == about:
			return "note " + f.Text
		}
	}
	return ""
}

// signatures counts the pairs of headers that a request is signed with, and reports
// whether each of them alone verifies.
func signatures(t *testing.T, signer *extension.Signer, header http.Header, body []byte) (pairs int, verified bool) {
	t.Helper()
	key, err := publicPEM(signer)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := extension.FixedKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	verified = true
	for _, prefix := range []string{"X-GitHub-Public-Key-", "Github-Public-Key-"} {
		alone := http.Header{}
		for _, name := range []string{"Identifier", "Signature"} {
			alone.Set(prefix+name, header.Get(prefix+name))
		}
		if header.Get(prefix+"Signature") != "" {
			pairs++
		}
		verified = verified && extension.Verify(t.Context(), keys, alone, body) == nil
	}
	return pairs, verified
}

// Of many findings people see the first, and programs all.
func TestManyFindings(t *testing.T) {
	var out bytes.Buffer
	o := &cli.Options{Sys: cli.System{Stdout: &out, Getenv: func(string) string { return "" }}}
	r := &checked{On: "x", Findings: make([]checkFinding, maxFindings+3)}
	for i := range r.Findings {
		r.Findings[i] = checkFinding{About: "answer", Severity: isWarning, Text: "not so \x1b[2J good"}
	}
	r.count()
	if err := printChecked(o, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Count(text, "not so") != maxFindings || !strings.Contains(text, "\n  and 3 more: --json has all\n") ||
		!strings.HasSuffix(text, "\nNo rule is broken; 53 warnings.\n") || strings.Contains(text, "\x1b") {
		t.Errorf("printed is\n%s", text)
	}
	if b, err := json.Marshal(r); err != nil || strings.Count(string(b), "not so") != maxFindings+3 {
		t.Errorf("as JSON it is %s, %v", b, err)
	}
}
