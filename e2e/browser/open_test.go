//go:build browser

package browser

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// arrivals are the attempts that reached a server without protection.
type arrivals struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

func (a *arrivals) add(how string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	a.seen[how] = true
}

// missing are those of the wanted attempts that have not arrived.
func (a *arrivals) missing(want []string) (out []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, how := range want {
		if !a.seen[how] {
			out = append(out, how)
		}
	}
	return out
}

// secret is what the open HTTP server answers, which a page must then report.
const secret = "the-secret-of-the-open-server"

// openHTTP is an HTTP server that trusts every page.
func openHTTP(t *testing.T) (port string, got *arrivals) {
	t.Helper()
	got = &arrivals{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.add(r.URL.Query().Get("how"))
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		h.Set("Access-Control-Allow-Credentials", "true")
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Set("Access-Control-Allow-Methods", "POST, PUT")
		_, _ = io.WriteString(w, secret) // the page may have left
	}))
	t.Cleanup(s.Close)
	return portOf(t, s.Listener.Addr()), got
}

// openJSONRPC is a JSON-RPC server that skips every line before a Content-Length that it does not
// know, as a careless reader of frames does. It notes the methods of the frames that it finds.
func openJSONRPC(t *testing.T) (port string, got *arrivals) {
	t.Helper()
	got = &arrivals{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); conns.Wait() })
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { lenient(c, got) })
		}
	})
	return portOf(t, l.Addr()), got
}

// method finds the frames in a stream, and the attempt in the line of an HTTP request.
var (
	method  = regexp.MustCompile(`Content-Length: \d+\r\n\r\n\{"jsonrpc":"2\.0","id":\d+,"method":"([a-z.]+)"`)
	attempt = regexp.MustCompile(`^[A-Z-]+ \S*\?how=(\S+)`)
)

func lenient(c net.Conn, got *arrivals) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second)) // for what is neither a request nor a message of STUN
	var data []byte
	for buf := make([]byte, 4<<10); !complete(data); {
		n, err := c.Read(buf)
		if data = append(data, buf[:n]...); err != nil {
			break
		}
	}
	how := ""
	if m := attempt.FindSubmatch(data); m != nil {
		how, _ = url.QueryUnescape(string(m[1])) // it is what the page has escaped
	}
	for _, m := range method.FindAllSubmatch(data, -1) {
		got.add(string(m[1]))
		got.add(how)
	}
	if bytes.HasPrefix(data, allocate) {
		got.add("TURN")
	}
}

// allocate begins a message of STUN: TURN over TCP.
var allocate = []byte{0x00, 0x03}

var bodyLength = regexp.MustCompile(`(?i)\r\ncontent-length: (\d+)`)

// complete reports whether data is a whole request of a browser, or the beginning of a message of STUN.
func complete(data []byte) bool {
	head, body, found := bytes.Cut(data, []byte("\r\n\r\n"))
	if !found {
		return bytes.HasPrefix(data, allocate)
	}
	m := bodyLength.FindSubmatch(head)
	if m == nil {
		return true
	}
	n, err := strconv.Atoi(string(m[1]))
	return err != nil || len(body) >= n
}
