//go:build browser

package browser

import (
	"regexp"
	"strings"
	"testing"
)

// refusals are the answers that a page may read once DNS rebinding has made it a page of the same
// origin: they say no, or greet.
var refusals = regexp.MustCompile(`must be sent to localhost|the body must be JSON|connection token is wrong or missing|is not signed|signature is not base64|` +
	`must be sent to localhost or to a loopback address|this is a proxy|^(404 )?not found|` +
	`This is an agent of Sidestick|^(404 )?404 page not found|there is no (PUT|CONTENT-LENGTH) |^405 Requests are sent with POST|^\d+ $`)

// Pages in a browser can connect to every port of their user's machine. Whatever they send, nothing
// changes: no session, no call of the model, no end of the process or of a sign-in; and they read
// nothing. The same pages use two servers without protection, so their attempts are real.
func TestPagesChangeNothing(t *testing.T) {
	all := doors(t)
	openPort, openGot := openHTTP(t)
	rpcPort, rpcGot := openJSONRPC(t)
	a := newAttacker(t)
	var bases, others []string
	for _, port := range append([]string{openPort, rpcPort}, ports(all)...) {
		bases = append(bases, "http://localhost:"+port)
		for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "localhost.", "evil.test"} {
			others = append(others, "http://"+host+":"+port)
		}
		others = append(others, "https://localhost:"+port)
	}
	both := append(append([]string{}, bases...), others...)
	a.names["site"] = page{bases: bases, others: others}
	a.names["sandboxed"] = page{bases: bases, others: others}
	a.names["localhost"] = page{others: both}
	a.names["data"] = page{others: both}
	a.paths[openPort] = []string{"/v1/models", "/"}
	for _, d := range all {
		a.paths[d.port] = d.paths
	}
	attack(t, a, all)
	if missing := openGot.missing(arriveOverHTTP); missing != nil {
		t.Errorf("these attempts did not reach a server without protection:\n%s", strings.Join(missing, "\n"))
	}
	if missing := rpcGot.missing(arriveAsFrames); missing != nil {
		t.Errorf("these did not bring a frame to a careless JSON-RPC server:\n%s", strings.Join(missing, "\n"))
	}
}

// A page whose own host leads to a port of its user's machine (DNS rebinding) is of the same origin as
// that port for the browser, and may read its answers. It changes nothing either, and reads only refusals.
func TestReboundPagesChangeNothing(t *testing.T) {
	all := doors(t)
	openPort, _ := openHTTP(t)
	rpcPort, rpcGot := openJSONRPC(t)
	a := newAttacker(t)
	a.reboundLater("open HTTP", openPort)
	a.rebound("open HTTP", openPort)
	a.rebound("open JSON-RPC", rpcPort)
	a.paths[openPort] = []string{"/v1/models", "/"}
	for _, d := range all {
		a.rebound(d.name, d.port)
		a.paths[d.port] = d.paths
		if d.name == "HTTP" || d.name == "OAuth callback" { // browsers wait a minute: the others would take the same way
			a.reboundLater(d.name, d.port)
		}
	}
	attack(t, a, all)
	if missing := rpcGot.missing([]string{"session.create", "fetch no-cors text frames", "fetch CONTENT-LENGTH frames"}); missing != nil {
		t.Errorf("these did not bring a frame to a careless JSON-RPC server:\n%s", strings.Join(missing, "\n"))
	}
}

// attack lets a user visit all pages, and checks what they have changed and read.
func attack(t *testing.T, a *attacker, all []door) {
	t.Helper()
	reports := a.browse()
	for _, d := range all {
		d.unchanged(t)
	}
	for name, r := range reports {
		t.Logf("%s: %d attempts", name, r.Tried)
		checkRead(t, name, r)
	}
	for _, d := range all {
		d.usable(t)
	}
}

// checkRead checks what a page has read: all of the open server, and nothing of a door.
func checkRead(t *testing.T, name string, r report) {
	t.Helper()
	open, refused := false, false
	for _, answer := range r.Read {
		switch {
		case strings.Contains(answer.Text, secret):
			open = true
		case strings.HasPrefix(name, "rebound") && refusals.MatchString(answer.Text):
			refused = true
		default:
			t.Errorf("%s: by %s the page has read %.300q", name, answer.How, answer.Text)
		}
	}
	rebound := strings.HasPrefix(name, "rebound")
	if want := !rebound || strings.HasSuffix(name, ": open HTTP"); open != want {
		t.Errorf("%s: the page has read the open server: %v, want %v", name, open, want)
	}
	if rebound && !open && !refused && !strings.Contains(name, "JSON-RPC") {
		t.Errorf("%s: no answer says that the page has reached the door", name)
	}
}

func ports(all []door) (out []string) {
	for _, d := range all {
		out = append(out, d.port)
	}
	return out
}

// arriveOverHTTP are attempts that the browser lets reach a port, at least for one page.
var arriveOverHTTP = []string{
	"fetch no-cors text chat", "fetch no-cors none chat", "fetch cors json chat", "fetch with headers chat", "fetch keepalive chat",
	"beacon chat", "fetch PUT chat", "fetch CONTENT-LENGTH chat", "XHR chat", "form text/plain name chat", "form multipart/form-data value chat",
	"form application/x-www-form-urlencoded value agent", "img", "script", "style", "prefetch", "iframe", "object", "video", "GET", "HEAD",
	"window.open", "EventSource", "WebSocket", "worker", "fetch in a worker", "service worker chat",
}

// arriveAsFrames are attempts that bring frames to a server which looks for them anywhere.
var arriveAsFrames = []string{
	"connect", "session.create", "session.send", "runtime.shutdown",
	"fetch no-cors text frames", "beacon frames", "XHR frames", "form text/plain name frames after a line", "form multipart/form-data value frames",
	"service worker frames", "TURN",
}
