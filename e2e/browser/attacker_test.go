//go:build browser

package browser

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

//go:embed testdata
var scripts embed.FS

// report is what a page says in the end.
type report struct {
	Page  string
	Tried int
	Read  []struct{ How, Text string }
}

// text is what a page sends, and the path that it sends it to.
type text struct {
	What string `json:"what"`
	Path string `json:"path"`
	Text string `json:"text"`
}

// agentText asks the agent of the demo for a confirmation, and any other for an answer.
const (
	chatText  = `{"messages":[{"role":"user","content":"Hello."}]}`
	agentText = `{"copilot_thread_id":"evil","messages":[{"role":"user","content":"Turn on fast-search."}]}`
)

// texts are what every page sends: frames of JSON-RPC, also to a path whose colon makes the line
// of the request look like a header, and a request of each HTTP client.
func texts() []text {
	var frames strings.Builder
	for n, call := range []string{
		`"method":"connect","params":{"token":"` + "guess" + `"}`,
		`"method":"session.create","params":{"sessionId":"evil","model":"test-model"}`,
		`"method":"session.send","params":{"sessionId":"evil","prompt":"Hello."}`,
		`"method":"runtime.shutdown","params":{}`,
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, n+1, call)
		fmt.Fprintf(&frames, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	bare := `{"jsonrpc":"2.0","id":9,"method":"session.create","params":{"sessionId":"evil"}}`
	return []text{
		{"frames", "/", frames.String()},
		{"frames after a line", "/a:b", "\r\n" + frames.String()},
		{"a body as a frame", "/a:b", bare},
		{"chat", "/v1/chat/completions", chatText},
		{"agent", "/", agentText},
		{"tunnel", "/", "CONNECT evil.test:80 HTTP/1.1\r\n\r\n"},
	}
}

// attacker is a web site, and the browser of a user who visits it.
type attacker struct {
	t       *testing.T
	site    *httptest.Server
	port    string
	names   map[string]page
	paths   map[string][]string // that pages open, by port
	dns     *resolver
	reports chan report
}

// page is one page of the site: which addresses it attacks, and from where.
type page struct {
	bases  []string // by every attempt
	others []string // by a few
	rebind string   // the address whose call rebinds the page's own host, "" for a page that stays
}

func newAttacker(t *testing.T) *attacker {
	a := &attacker{t: t, names: map[string]page{}, paths: map[string][]string{}, dns: newResolver(t), reports: make(chan report, 100)}
	a.site = httptest.NewServer(a.pages())
	t.Cleanup(a.site.Close)
	a.port = portOf(t, a.site.Listener.Addr())
	a.dns.lead("evil.test", "127.0.0.1")
	return a
}

// pages are those of the site, at every address that it has.
func (a *attacker) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /report", a.takeReport)
	mux.HandleFunc("GET /page/{name}", func(w http.ResponseWriter, r *http.Request) { a.write(w, r.PathValue("name")) })
	mux.HandleFunc("GET /mine", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "mine") // the browser may have left
	})
	mux.HandleFunc("GET /worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, script(a.t, "worker.js")) // the browser may have left
	})
	mux.HandleFunc("GET /start", a.start)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if how := r.URL.Query().Get("how"); how != "" {
			a.t.Errorf("the attempt %q has come to the attacker at %s", how, r.Host)
		}
		http.NotFound(w, r)
	})
	return mux
}

func script(t *testing.T, name string) string {
	t.Helper()
	data, err := scripts.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// html is a page of the site.
func (a *attacker) html(name string) string {
	p := a.names[name]
	config, err := json.Marshal(map[string]any{
		"page": name, "bases": append([]string{}, p.bases...), "others": append([]string{}, p.others...), "rebind": p.rebind, "texts": texts(), "paths": a.paths, "report": "http://evil.test:" + a.port + "/report",
	})
	if err != nil {
		panic(err) // it holds only strings
	}
	return "<!doctype html><meta charset=utf-8><title>" + html.EscapeString(name) + "</title><body><script>const CONFIG = " +
		string(config) + ";\n" + script(a.t, "attack.js") + "</script>"
}

func (a *attacker) write(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Connection", "close")  // so that the next request of a page connects again
	_, _ = io.WriteString(w, a.html(name)) // the browser may have left
}

func (a *attacker) takeReport(w http.ResponseWriter, r *http.Request) {
	var got report
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		a.t.Errorf("a report cannot be read: %v", err)
	}
	a.reports <- got
}

// start is the page that the user opens, as localhost, because a service worker needs a page and
// frames that all are secure. It shows the others in frames: of localhost, of the site's name,
// and two without an origin.
func (a *attacker) start(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Cats</title>")
	for name := range a.names {
		switch {
		case name == "site":
			fmt.Fprintf(&b, `<iframe src="http://evil.test:%s/page/%s"></iframe>`, a.port, name)
		case name == "localhost":
			fmt.Fprintf(&b, `<iframe src="http://localhost:%s/page/%s"></iframe>`, a.port, name)
		case name == "sandboxed":
			fmt.Fprintf(&b, `<iframe sandbox="allow-scripts allow-forms allow-popups" src="/page/%s"></iframe>`, name)
		case name == "data":
			fmt.Fprintf(&b, `<iframe src="data:text/html;charset=utf-8,%s"></iframe>`, escaped(a.html(name)))
		default:
			fmt.Fprintf(&b, `<iframe src="%s/page/%s"></iframe>`, a.names[name].bases[0], name)
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the browser may have left
}

// escaped is a page as a part of an address in an attribute.
func escaped(page string) string {
	var b strings.Builder
	for _, c := range []byte(page) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// browse opens the start page in chromium and returns the reports of all pages.
func (a *attacker) browse() map[string]report {
	a.t.Helper()
	profile, err := os.MkdirTemp("", "sidestick-chromium")
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(profile) }() // what is left is in the temporary folder
	a.dns.configure(profile)
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-popup-blocking", "--renderer-process-limit=2",
		// Older browsers let pages of the internet connect to this machine without a question.
		"--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessRespectPreflightResults",
		"--user-data-dir="+profile, "--ignore-certificate-errors", // of the resolver
		"http://localhost:"+a.port+"/start")
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end its helpers, too
	cmd.WaitDelay = 5 * time.Second                       // its helpers may keep stderr open
	if err := cmd.Start(); err != nil {
		a.t.Fatalf("chromium: %v; install Debian's package chromium", err)
	}
	exited := make(chan struct{})
	go func() { defer close(exited); _ = cmd.Wait() }() // it is killed
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); <-exited }()
	got := map[string]report{}
	limit := time.After(5 * time.Minute)
	for len(got) < len(a.names) {
		select {
		case r := <-a.reports:
			got[r.Page] = r
		case <-exited:
			a.t.Fatalf("chromium has ended: %s", &said)
		case <-limit:
			a.t.Errorf("only %d of %d pages have reported", len(got), len(a.names))
			return got
		}
	}
	return got
}
