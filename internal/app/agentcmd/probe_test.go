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

// An agent sees one request as a platform sends it, with the token and signed for both
// kinds of readers; a browser's; and two that it should refuse, which bring no token.
// The token is not printed, even if the agent sends it back.
func TestWhatAnAgentSeesOfACheck(t *testing.T) {
	const token = "gho_very_secret_token"
	var seen []*http.Request
	var bodies [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen, bodies = append(seen, r), append(bodies, body)
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
		c := &agentCheck{url: server.URL, message: "Tides?", tokenEnv: "TOKEN", timeout: checkTimeout, asJSON: asJSON}
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
	}{{"POST", token, 2, true}, {"GET", "", 0, false}, {"POST", "", 0, false}, {"POST", "", 2, false}} {
		r := seen[i]
		pairs, verified := signatures(t, signer, r.Header, bodies[i])
		if r.Method != want.method || r.Header.Get("X-GitHub-Token") != want.token || pairs != want.pairs || verified != want.verified {
			t.Errorf("request %d is %s with %d signatures, verified %v, and the headers %v; want %+v", i, r.Method, pairs, verified, r.Header, want)
		}
	}
	if r, err := extension.ParseRequest(bodies[0]); err != nil || r.Prompt() != "Tides?" || r.ThreadID == "" {
		t.Errorf("it is asked %s, %v", bodies[0], err)
	}
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
