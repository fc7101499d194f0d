//go:build browser

package browser

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// resolver answers the browser's questions for names, over HTTPS (RFC 8484). Browsers ask a resolver
// of their own choice only in this way, and this machine needs no other settings for it.
type resolver struct {
	t      *testing.T
	server *httptest.Server

	mu      sync.Mutex // guards the rest
	answers map[string][]netip.Addr
}

func newResolver(t *testing.T) *resolver {
	d := &resolver{t: t, answers: map[string][]netip.Addr{}}
	d.server = httptest.NewTLSServer(d)
	t.Cleanup(d.server.Close)
	return d
}

// configure makes the browser of a profile ask only this resolver.
func (d *resolver) configure(profile string) {
	d.t.Helper()
	state, err := json.Marshal(map[string]any{"dns_over_https": map[string]string{"mode": "secure", "templates": d.server.URL + "/dns-query"}})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Local State"), state, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// lead makes a name lead to these IPv4 addresses, in this order.
func (d *resolver) lead(name string, addresses ...string) {
	var list []netip.Addr
	for _, a := range addresses {
		list = append(list, netip.MustParseAddr(a))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[name] = list
}

// ServeHTTP implements [http.Handler]: one question of a browser.
func (d *resolver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	question, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("dns"))
	if r.Method == http.MethodPost {
		question, err = io.ReadAll(r.Body)
	}
	var answer []byte
	if err == nil {
		answer = d.answer(question)
	}
	if answer == nil {
		http.Error(w, "this is no question", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/dns-message")
	_, _ = w.Write(answer) // the browser may have left
}

// answer is the answer to a DNS message with one question, nil for another message.
// Source: RFC 1035, section 4.
func (d *resolver) answer(q []byte) []byte {
	const header, addressRecord = 12, 1
	end := header
	var labels []string
	for end < len(q) && q[end] != 0 {
		size := int(q[end])
		if end += 1 + size; end >= len(q) {
			return nil
		}
		labels = append(labels, string(q[end-size:end]))
	}
	end += 1 + 4 // the root, the kind and the class
	if end > len(q) {
		return nil
	}
	d.mu.Lock()
	list, known := d.answers[strings.ToLower(strings.Join(labels, "."))]
	d.mu.Unlock()
	result := byte(0)
	if !known {
		result = 3 // there is no such name
	}
	if q[end-4] != 0 || q[end-3] != addressRecord {
		list = nil
	}
	// The id of the question; an answer, by recursion; one question, the answers, and nothing else.
	out := []byte{q[0], q[1], 0x81, 0x80 | result, 0, 1, 0, byte(len(list)), 0, 0, 0, 0}
	out = append(out, q[header:end]...)
	for _, a := range list {
		// The name of the question, an IPv4 address of the internet, valid for 1 second. Chromium
		// makes that a minute.
		out = append(out, 0xc0, header, 0, addressRecord, 0, 1, 0, 0, 0, 1, 0, 4)
		out = append(out, a.AsSlice()...)
	}
	return out
}

// rebound adds a page whose own host has two addresses: the attacker's, which its server stops
// listening at, and that of this machine. At the same port, the two are one origin for the browser.
func (a *attacker) rebound(name, port string) {
	host := "double" + port + ".test"
	own := a.listen("127.0.0.2:" + port)
	a.dns.lead(host, "127.0.0.2", victim)
	a.reboundPage("rebound: "+name, host+":"+port, func() { _ = own.Close() })
}

// reboundLater adds a page whose own host changes its address, from the attacker's to that of this
// machine. The browser asks for it again after a minute.
func (a *attacker) reboundLater(name, port string) {
	host := "changing" + port + ".test"
	a.listen("127.0.0.3:" + port)
	a.dns.lead(host, "127.0.0.3")
	a.reboundPage("rebound later: "+name, host+":"+port, func() { a.dns.lead(host, victim) })
}

// victim is where the doors listen.
const victim = "127.0.0.1"

// listen serves the site at one more address.
func (a *attacker) listen(address string) net.Listener {
	l, err := net.Listen("tcp", address)
	if err != nil {
		a.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(a.pages())
	_ = s.Listener.Close() // it has one of its own
	s.Listener = l
	s.Start()
	a.t.Cleanup(s.Close)
	return l
}

// reboundPage adds a page of a host, which calls change before it attacks that host.
func (a *attacker) reboundPage(name, host string, change func()) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { change() }))
	a.t.Cleanup(s.Close)
	a.names[name] = page{bases: []string{"http://" + host}, rebind: s.URL}
}
