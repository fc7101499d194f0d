package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// few is a door that can have 16 connections.
var few = web.Options{Loopback: true, Files: 32}

// listening is bubble with a listener that serves until f returns.
func listening(t *testing.T, o web.Options, f func(p *process, l *dialtest.Listener), replies ...modeltest.Reply) {
	t.Helper()
	bubble(t, o, func(p *process) {
		l, ended := dialtest.NewListener(), make(chan error)
		ctx, stop := context.WithCancel(p.t.Context())
		go func() { ended <- p.door.Listen(ctx, l) }()
		f(p, l)
		stop()
		if err := <-ended; err != nil {
			p.t.Errorf("Listen = %v", err)
		}
		time.Sleep(time.Second) // the server waits where it did not read a whole body
	}, replies...)
}

const shortChat = `{"messages":[{"role":"user","content":"Hi."}]}`

// ask sends a request on a new connection, and returns how it was answered when it was.
func ask(p *process, l *dialtest.Listener, line, head, body string) (answered <-chan string) {
	c, out := l.Dial(), make(chan string, 1)
	go func() { // may be refused unread
		_, _ = fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", line, head, len(body), body)
	}()
	go func() {
		defer c.Close()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			out <- err.Error()
			return
		}
		text, err := io.ReadAll(resp.Body)
		out <- fmt.Sprintf("%d %s %s, %v", resp.StatusCode, resp.Header.Get("Retry-After"), text, err)
	}()
	return out
}

func answeredWith(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %.300s, want %s", what, got, want)
	}
}

// closed reports whether the door has closed a connection.
func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err == io.EOF
}

// Connections that send nothing, or the beginning of something, make room for others; the oldest goes first. One that is
// answered does not, and those who come are answered all the time.
func TestConnectionsThatOnlyConnectMakeRoom(t *testing.T) {
	for name, beginning := range map[string]string{
		"nothing":                    "",
		"half a head":                "POST / HTTP/1.1\r\nHost: local",
		"half a body":                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{",
		"half a body, for the model": "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			listening(t, few, func(p *process, l *dialtest.Listener) {
				slow := ask(p, l, "POST /v1/chat/completions", "", shortChat)
				agent := ask(p, l, "POST /", "", body("t1", `{"role":"user","content":"Hi."}`))
				synctest.Wait()
				var idle []net.Conn
				for n := range 40 {
					c := l.Dial()
					_, _ = io.WriteString(c, beginning)
					synctest.Wait()
					idle = append(idle, c)
					if n%10 == 9 {
						answeredWith(p.t, "somebody else", <-ask(p, l, "GET /v1/models", "", ""), `200  {"data":[{"created"`)
					}
				}
				for n, c := range idle {
					if want := n < 40-14+1; closed(c) != want { // and one for who asked in between
						p.t.Errorf("connection %d of 40 is closed: %v, want %v", n, !want, want)
					}
				}
				answeredWith(p.t, "one that was answered meanwhile", <-slow, `"content":"Hello."`)
				answeredWith(p.t, "the agent's", <-agent, `"content":"Hello."`)
				for _, c := range idle {
					_ = c.Close()
				}
			}, modeltest.Reply{Text: "Hello.", Delay: time.Minute, Repeat: true})
		})
	}
}

// If all connections are answered, the next one learns when to come back.
func TestNoConnectionMakesRoomThatIsAnswered(t *testing.T) {
	listening(t, few, func(p *process, l *dialtest.Listener) {
		var all []<-chan string
		for range 16 {
			all = append(all, ask(p, l, "POST /v1/chat/completions", "", shortChat))
			synctest.Wait()
		}
		answeredWith(p.t, "one more", <-ask(p, l, "GET /v1/models", "", ""), "503 5 ")
		for n, one := range all {
			answeredWith(p.t, fmt.Sprint("number ", n), <-one, `"content":"Hello."`)
		}
		answeredWith(p.t, "afterwards", <-ask(p, l, "GET /v1/models", "", ""), "200 ")
	}, modeltest.Reply{Text: "Hello.", Delay: time.Minute, Repeat: true})
}

// A client that has shown the token keeps its connection while its request arrives; one that has not does not.
func TestATokenKeepsAConnection(t *testing.T) {
	o := few
	o.Token = accessToken
	listening(t, o, func(p *process, l *dialtest.Listener) {
		for _, tc := range []struct{ token, want string }{{accessToken, `"content":"Hello."`}, {"another", "EOF"}} {
			c := l.Dial()
			_, _ = fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", tc.token, len(shortChat))
			synctest.Wait()
			var others []net.Conn
			for range 40 {
				others = append(others, l.Dial())
				synctest.Wait()
			}
			_, _ = io.WriteString(c, shortChat)
			got := "EOF"
			if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				text, _ := io.ReadAll(io.LimitReader(resp.Body, resp.ContentLength))
				got = string(text)
			}
			answeredWith(p.t, tc.token, got, tc.want)
			for _, c := range append(others, c) {
				_ = c.Close()
			}
			synctest.Wait()
		}
	}, says("Hello."))
}

// All requests of OpenAI clients that arrive share one bound. The door refuses a request that has no room, says how long
// to wait, and still answers short ones.
func TestBodiesOfChatsAreBoundedTogether(t *testing.T) {
	listening(t, local, func(p *process, l *dialtest.Listener) {
		part := strings.Repeat(" ", 9<<20)
		var held []net.Conn
		for range 8 { // 17 MiB each count, and three fit
			c := l.Dial()
			go func() {
				_, _ = fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", 10<<20, part)
			}()
			held = append(held, c)
			synctest.Wait() // if all grew at the same time, fewer might be left than fit
		}
		long := `{"messages":[{"role":"user","content":"Hi."}]` + part + "}"
		answeredWith(p.t, "a long one", <-ask(p, l, "POST /v1/chat/completions", "", long), "503 5 ")
		answeredWith(p.t, "a short one", <-ask(p, l, "POST /v1/chat/completions", "", shortChat), `"content":"Hello."`)
		answeredWith(p.t, "the agent, whose bodies are counted apart", <-ask(p, l, "POST /", "", body("t1", `{"role":"user","content":"Hi."}`+part)), `"content":"Hello."`)
		for _, c := range held {
			_ = c.Close()
		}
		synctest.Wait()
		answeredWith(p.t, "afterwards", <-ask(p, l, "POST /v1/chat/completions", "", long), `"content":"Hello."`)
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// A request of many small values takes many times its length when it is decoded, so their number is bounded.
func TestARequestHasSoManyValues(t *testing.T) {
	bubble(t, local, func(p *process) {
		for values, want := range map[int]int{100_000: 200, 250_000: 400} {
			status, got := p.complete(`{"messages":[{"role":"user","content":"Hi, \"[\"."}],"x":[` + strings.Repeat("1,", values) + `1]}`)
			if status != want || want == 400 && !strings.Contains(string(got), "values, and may have 200000") {
				p.t.Errorf("%d values: %d %s", values, status, got)
			}
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}
