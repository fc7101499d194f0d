package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

// arriving is a body that has arrived up to its last byte.
type arriving struct {
	r       io.Reader
	arrived chan<- struct{}
	end     <-chan struct{}
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err == io.EOF {
		a.arrived <- struct{}{}
		<-a.end
	}
	return n, err
}

func local(body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", body)
	r.RemoteAddr = "127.0.0.1:1000"
	return r
}

// Bodies that arrive are bounded together, before anything can be verified; short ones are answered meanwhile, and what has
// no room is refused with the time to wait.
func TestBodiesAreBoundedTogether(t *testing.T) {
	agent := func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return w.Text("Hi.") }
	skill := func(context.Context, json.RawMessage, http.Header) (string, error) { return "Hi.", nil }
	o := extension.HandlerOptions{Unsigned: true, MaxBodies: 1 << 20}
	for name, h := range map[string]http.Handler{
		"an agent": extension.NewHandler(agent, o), "a skill": extension.NewSkillHandler(skill, o),
	} {
		t.Run(name, func(t *testing.T) {
			long := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 500<<10) + `"}]}`
			arrived, end, done := make(chan struct{}), make(chan struct{}), make(chan int, 2)
			send := func(body io.Reader) *httptest.ResponseRecorder {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, local(body))
				return w
			}
			for range 2 { // 436 KiB each count
				go func() { done <- send(&arriving{strings.NewReader(long), arrived, end}).Code }()
				<-arrived
			}
			w := send(strings.NewReader(long))
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "take all the memory") {
				t.Errorf("a third long one is answered %d, %v: %s", w.Code, w.Header(), w.Body)
			}
			if w := send(strings.NewReader(`{"messages":[{"role":"user","content":"Hi."}]}`)); w.Code != http.StatusOK {
				t.Errorf("a short one is answered %d: %s", w.Code, w.Body)
			}
			close(end)
			if got := fmt.Sprint(<-done, <-done); got != "200 200" {
				t.Errorf("those before are answered %s", got)
			}
			if w := send(strings.NewReader(long)); w.Code != http.StatusOK {
				t.Errorf("afterwards a long one is answered %d: %s", w.Code, w.Body)
			}
		})
	}
}
