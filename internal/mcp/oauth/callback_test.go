package oauth

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// asIs sends text to the listener of a sign-in and returns the status and the body of the answer.
func asIs(t *testing.T, flow *Flow, text string) string {
	t.Helper()
	back, err := url.Parse(flow.redirect.url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", back.Host)
	if err != nil {
		return "closed"
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second)) // says only how the test fails
	if _, err := io.WriteString(c, strings.NewReplacer("STATE", flow.redirect.state, "HOST", back.Host, "PORT", back.Port()).Replace(text)); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	status, _, _ := strings.Cut(strings.TrimPrefix(string(answer), "HTTP/1."), "\r\n")
	_, body, _ := strings.Cut(string(answer), "\r\n\r\n")
	if len(status) < 5 {
		return "no answer"
	}
	return status[2:5] + " " + body
}

// Nothing but the browser that comes back, with the state of this sign-in, ends it: neither what a page
// makes a browser send, nor another way to write the request.
func TestWhatIsNoReturnOfTheBrowser(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	const end = " HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
	const right = "/callback?code=stolen&state=STATE"
	to := func(hosts ...string) string {
		return "GET " + right + " HTTP/1.1\r\nHost: " + strings.Join(hosts, "\r\nHost: ") + "\r\nConnection: close\r\n\r\n"
	}
	for name, tc := range map[string]struct{ sent, want string }{
		"an image with a guess":           {"GET /callback?code=stolen&state=guess HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\nConnection: close\r\n\r\n", "400"},
		"no state":                        {"GET /callback?code=stolen" + end, "400"},
		"an empty state":                  {"GET /callback?code=stolen&state=" + end, "400"},
		"a refusal with a guess":          {"GET /callback?error=access_denied&state=guess" + end, "400"},
		"a guess before the state":        {"GET /callback?code=stolen&state=guess&state=STATE" + end, "400"},
		"a part of the state":             {"GET /callback?code=stolen&state=STAT" + end, "400"},
		"more than the state":             {"GET /callback?code=stolen&state=STATE%00" + end, "400"},
		"the state after a semicolon":     {"GET /callback?code=stolen;state=STATE" + end, "400"},
		"the state by another name":       {"GET /callback?code=stolen&State=STATE" + end, "400"},
		"the state in a header":           {"GET /callback?code=stolen HTTP/1.1\r\nHost: HOST\r\nState: STATE\r\nCookie: state=STATE\r\nConnection: close\r\n\r\n", "400"},
		"a form":                          {"POST /callback HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 43\r\n\r\ncode=stolen&state=STATE", "404"},
		"POST":                            {"POST " + right + end, "404"},
		"HEAD":                            {"HEAD " + right + end, "404"},
		"a WebSocket with a guess":        {"GET /callback?code=stolen&state=guess HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n", "400"},
		"another path":                    {"GET /?code=stolen&state=STATE" + end, "404"},
		"the path with a slash":           {"GET /callback/?code=stolen&state=STATE" + end, "404"},
		"the path with two":               {"GET //callback?code=stolen&state=STATE" + end, "404"},
		"a path that leads there":         {"GET /x/../callback?code=stolen&state=STATE" + end, "404"},
		"the path in capitals":            {"GET /CALLBACK?code=stolen&state=STATE" + end, "404"},
		"a rebound name":                  {to("evil.test:PORT"), "404"},
		"localhost":                       {to("localhost:PORT"), "404"},
		"a dot at the end":                {to("127.0.0.1.:PORT"), "404"},
		"the address as a number":         {to("2130706433:PORT"), "404"},
		"the address in IPv6":             {to("[::ffff:127.0.0.1]:PORT"), "404"},
		"a host without its port":         {to("127.0.0.1"), "404"},
		"two hosts":                       {to("HOST", "evil.test"), "400"},
		"the same host twice":             {to("HOST", "HOST"), "400"},
		"no host":                         {"GET " + right + " HTTP/1.1\r\nConnection: close\r\n\r\n", "400"},
		"no host in HTTP/1.0":             {"GET " + right + " HTTP/1.0\r\n\r\n", "404"},
		"the address of a page":           {"GET http://evil.test" + right + end, "404"},
		"HTTP/2":                          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "404"},
		"a line that is not HTTP":         {"code=stolen&state=STATE\r\n\r\n", "400"},
		"JSON-RPC":                        {"Content-Length: 2\r\n\r\n{}", "400"},
		"a request in the body of a POST": {"POST / HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\nContent-Length: 300\r\n\r\nGET " + right + end, "404"},
	} {
		if got := asIs(t, flow, tc.sent); !strings.HasPrefix(got, tc.want) || strings.Contains(got, flow.redirect.state) || strings.Contains(got, "stolen") {
			t.Errorf("%s: %q, want %s", name, got, tc.want)
		}
	}
	if status := f.agree(t, flow, nil); status != http.StatusOK {
		t.Errorf("the browser of the user got %d", status)
	}
	if token, err := flow.Wait(t.Context()); err != nil || token.Access != "access" || len(f.forms) != 1 || f.forms[0].Get("code") != "the code" {
		t.Errorf("%v, %v; the token endpoint got %v", token, err, f.forms)
	}
}

// The first return of the browser counts: the same address, opened again, brings nothing, and nothing
// listens there after the end.
func TestTheStateCountsOnce(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	f.agree(t, flow, nil)
	for _, query := range []string{"code=another&state=STATE", "error=access_denied&state=STATE", "code=the+code&state=STATE"} {
		if got := asIs(t, flow, "GET /callback?"+query+" HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "has been used already") {
			t.Errorf("%s: %q", query, got)
		}
	}
	if token, err := flow.Wait(t.Context()); err != nil || token.Access != "access" {
		t.Errorf("%v, %v", token, err)
	}
	if got := asIs(t, flow, "GET /callback?code=late&state=STATE HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"); got != "closed" {
		t.Errorf("after the end: %q", got)
	}
	if len(f.forms) != 1 || f.forms[0].Get("code") != "the code" {
		t.Errorf("the token endpoint got %v", f.forms)
	}
}
