//go:build local

package local

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// proxy stands before a server, keeps the questions to the model, and can be a server that is not ready yet.
type proxy struct {
	url     string        // without /v1
	loading time.Duration // for so long from the first question to the model, it says that it loads its model
	silence time.Duration // for so long after that, an answer does not begin
	mu      sync.Mutex    // guards the rest
	asked   [][]byte      // the questions that got through
	refused int           // those that did not
	first   time.Time     // when the first one came
}

// before starts a proxy until the test ends.
func before(t *testing.T, m *server, loading, silence time.Duration) *proxy {
	t.Helper()
	target, err := url.Parse(m.url)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{loading: loading, silence: silence}
	through := httputil.NewSingleHostReverseProxy(target)
	through.FlushInterval = -1 // each piece of an answer at once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !p.ready(w, r) {
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// ready tells whether a question may go to the server; if not, it is answered as llama.cpp does while it loads.
func (p *proxy) ready(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.mu.Lock()
	defer p.mu.Unlock() // also while it is silent: a server that is busy
	if p.first.IsZero() {
		p.first = time.Now()
	}
	if time.Since(p.first) < p.loading {
		p.refused++
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`) // who has left does not read it
		return false
	}
	p.asked = append(p.asked, body)
	wait := time.NewTimer(p.silence)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// tools are the names of the tools in the first question that has any, in order.
func (p *proxy) tools(t *testing.T) (names []string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, body := range p.asked {
		var question struct {
			Tools []struct {
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(body, &question); err != nil {
			t.Fatal(err)
		}
		for _, tool := range question.Tools {
			names = append(names, tool.Function.Name)
		}
		if len(names) > 0 {
			break
		}
	}
	slices.Sort(names)
	return names
}
