package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

func framed(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// guest is an honest client.
type guest struct {
	net.Conn
	in *bufio.Reader
	id int
}

// newGuest connects to a server, with its token if it has one.
func newGuest(addr, token string) (*guest, error) {
	c, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	g := &guest{Conn: c, in: bufio.NewReader(c)}
	if token != "" {
		if _, err := g.call("connect", fmt.Sprintf(`{"token":%q}`, token)); err != nil {
			c.Close()
			return nil, err
		}
	}
	if _, err := g.call("ping", "{}"); err != nil {
		c.Close()
		return nil, err
	}
	return g, nil
}

// call makes a call and returns its answer.
func (g *guest) call(method, params string) (json.RawMessage, error) {
	g.id++
	_ = g.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(g, framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, g.id, method, params))); err != nil {
		return nil, err
	}
	for {
		size := 0
		for {
			line, err := g.in.ReadString('\n')
			if err != nil {
				return nil, err
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			_, _ = fmt.Sscanf(line, "Content-Length: %d", &size)
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(g.in, body); err != nil {
			return nil, err
		}
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return nil, err
		}
		switch {
		case string(m.ID) == strconv.Itoa(g.id) && m.Error != nil, string(m.ID) == "null" && m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		case string(m.ID) == strconv.Itoa(g.id):
			return m.Result, nil
		}
	}
}

// pingAt has the address of a server where this test program is to be the honest client. A process of its own
// answers for no time that the attacker takes in its process.
const pingAt = "SIDESTICK_E2E_PING_AT"

// bePinging sends pings until stdin ends, at least 1,000, and prints how long each took.
func bePinging(addr string) {
	out := json.NewEncoder(os.Stdout)
	g, err := newGuest(addr, os.Getenv(clientToken))
	if err != nil {
		_ = out.Encode(pinged{Problem: err.Error()})
		return
	}
	_ = out.Encode(pinged{}) // it has begun
	end := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(end) }()
	var all pinged
	for going := true; going || len(all.Times) < 1000; {
		began := time.Now()
		if _, err := g.call("ping", "{}"); err != nil {
			all.Problem = fmt.Sprintf("ping number %d of another client: %v", len(all.Times), err)
			break
		}
		all.Times = append(all.Times, time.Since(began))
		select {
		case <-end:
			going = false
		default:
		}
	}
	_ = out.Encode(all)
}

// clientToken has the connection token for pingAt.
const clientToken = "SIDESTICK_E2E_CLIENT_TOKEN"

type pinged struct {
	Problem string
	Times   []time.Duration
}
