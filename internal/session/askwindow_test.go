package session_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shop is a server with pages of its own beside the fake model, and notes which of them are asked for.
type shop struct {
	next http.RoundTripper

	mu     sync.Mutex
	pages  map[string]string // by path
	asked  []string
	before time.Duration // until a page is answered
}

func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		return s.next.RoundTrip(r)
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	page, ok := s.pages[r.URL.Path]
	wait := s.before
	s.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	host := modeltest.NewHost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(page))
	}))
	return host.Transport().RoundTrip(r)
}

// set changes a page, and forgets what was asked.
func (s *shop) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path], s.asked = page, nil
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

const (
	llamaCpp    = `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`
	props8192   = `{"default_generation_settings":{"n_ctx":8192}}`
	props16384  = `{"default_generation_settings":{"n_ctx":16384}}`
	ofProps     = "the server's /props"
	ollamaModel = `{"data":[{"id":"m","owned_by":"library"},{"id":"n","owned_by":"library"}]}`
	loadedInPs  = `{"models":[{"name":"m:latest","model":"m:latest","context_length":4096}]}`
)

// atShop runs a test with a process whose provider is at an address, with those pages.
func atShop(t *testing.T, address string, pages map[string]string, f func(d *desk, s *shop), replies ...modeltest.Reply) {
	s := &shop{pages: pages}
	d := &desk{fs: vfs.NewMem(), opts: registry.Options{Home: "/home", Provider: provider.Provider{Model: "m", Endpoint: model.Endpoint{BaseURL: address}}}}
	d.calls = s
	bubble(t, d, func(d *desk) {
		s.next = d.model.Transport()
		f(d, s)
	}, replies...)
}

// hello sends a message, and wants the limit and its source in every session.usage_info of the run.
func (s *seat) hello(limit, source string) {
	s.d.t.Helper()
	from := len(s.told)
	s.send("hello")
	s.until("session.idle")
	seen := 0
	for _, e := range s.told[from:] {
		if e.Type == "session.usage_info" {
			seen++
			if field(e, "tokenLimit") != limit || field(e, wire.FieldLimitSource) != source {
				s.d.t.Errorf("the limit is %s, want %s (%s)", e.Data, limit, source)
			}
		}
	}
	if seen == 0 {
		s.d.t.Errorf("the run has no session.usage_info:\n%s", types(s.told[from:]))
	}
}

var ok = modeltest.Reply{Text: "ok", Usage: &modeltest.Usage{Input: 100, Output: 10}, Repeat: true}

// A server nearby is waited for, so the first turn has its window. It is asked once in five minutes, by all sessions.
func TestAServerNearbyIsAskedForItsWindowBeforeTheFirstCall(t *testing.T) {
	atShop(t, "http://127.0.0.1:8080/v1", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, s *shop) {
		s.before = 500 * time.Millisecond
		one := d.create(wire.Config{SessionID: "s1"})
		one.hello("8192", ofProps)
		one.hello("8192", ofProps)
		d.create(wire.Config{SessionID: "s2"}).hello("8192", ofProps)
		if n := s.count(); n != 2 {
			t.Errorf("the server was asked for %q, want the list and /props once", s.asked)
		}
		s.set("/props", props16384)
		one.hello("8192", ofProps)
		time.Sleep(5 * time.Minute)
		one.hello("16384", ofProps)
		one.switchTo("other")
		s.set("/props", props8192)
		one.hello("8192", ofProps) // a change of model asks again
	}, ok)
}

// Homes of one process share what is known about models: the server is asked once for all of them, and a home that is
// closed leaves the others theirs.
func TestHomesShareWhatIsKnownOfModels(t *testing.T) {
	atShop(t, "http://127.0.0.1:8080/v1", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, s *shop) {
		facts := provider.OpenFacts(d.fs, "/home", nil)
		defer facts.Stop()
		d.stop()
		opts := d.opts
		opts.Facts = facts
		d.start(opts)
		opts.Home, opts.Permissions = "/other", "/other/permissions.json"
		other := &desk{t: d.t, fs: vfs.NewMem(), model: d.model, calls: s}
		other.start(opts)
		other.create(wire.Config{SessionID: "s1"}).hello("8192", ofProps)
		other.stop()
		d.create(wire.Config{SessionID: "s1"}).hello("8192", ofProps)
		if n := s.count(); n != 2 {
			t.Errorf("the server was asked for %q, want the list and /props once", s.asked)
		}
		s.set("/props", props16384)
		time.Sleep(5 * time.Minute)
		d.create(wire.Config{SessionID: "s2"}).hello("16384", ofProps)
	}, ok)
}

// A server elsewhere is asked beside the first call: a slow one delays nothing, and counts from the next turn on.
func TestAServerElsewhereIsAskedBesideTheFirstCall(t *testing.T) {
	atShop(t, "https://models.example.com/v1", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, s *shop) {
		s.before = 700 * time.Millisecond
		began := time.Now()
		one := d.create(wire.Config{SessionID: "s1"})
		one.hello("128000", "assumed")
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("the first answer was delayed by %v", took)
		}
		time.Sleep(2 * time.Second)
		one.hello("8192", ofProps)
	}, ok)
}

// A silent server nearby delays the first call by two seconds, and only once.
func TestASilentServerDelaysTheFirstCallOnce(t *testing.T) {
	atShop(t, "http://localhost:8080/v1", nil, func(d *desk, s *shop) {
		s.before = time.Hour
		one := d.create(wire.Config{SessionID: "s1"})
		for _, most := range []time.Duration{model.WindowWait, 0} {
			began := time.Now()
			one.hello("128000", "assumed")
			if took := time.Since(began); took > most+100*time.Millisecond {
				t.Errorf("a silent server delays a call by %v", took)
			}
		}
	}, ok)
}

// A client's own provider is asked, too, but not if the client says the window, carries the calls, brings tokens one
// by one, or names a known vendor.
func TestWhoseServersAreAskedForTheirWindows(t *testing.T) {
	var idea wire.Capabilities
	if err := recode(map[string]any{"limits": map[string]int{"max_prompt_tokens": 5000}}, &idea); err != nil {
		t.Fatal(err)
	}
	own := func(address string) *wire.Provider { return &wire.Provider{BaseURL: address, ModelID: "m"} }
	said := own("http://localhost:8080/v1")
	said.MaxPromptTokens = 4000
	for name, tc := range map[string]struct {
		cfg           wire.Config
		limit, source string
		asked         bool
	}{
		"a client's provider":       {wire.Config{Provider: own("http://localhost:8080/v1")}, "8192", ofProps, true},
		"with a window":             {wire.Config{Provider: said}, "4000", "the client", false},
		"with an idea of the model": {wire.Config{Provider: own("http://localhost:8080/v1"), ModelCapabilities: &idea}, "5000", "the client", false},
		"of a known vendor":         {wire.Config{Provider: own("https://api.openai.com/v1")}, "128000", "assumed", false},
	} {
		t.Run(name, func(t *testing.T) {
			atShop(t, "http://unused.test/v1", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, s *shop) {
				tc.cfg.SessionID = "s1"
				d.create(tc.cfg).hello(tc.limit, tc.source)
				if asked := s.count() > 0; asked != tc.asked {
					t.Errorf("asked: %q", s.asked)
				}
			}, ok)
		})
	}
}

// Ollama knows the window once the first call has loaded the model, and is asked again then.
func TestOllamaIsAskedAgainWhenItHasLoadedTheModel(t *testing.T) {
	atShop(t, "http://localhost:11434/v1", map[string]string{"/v1/models": ollamaModel, "/api/ps": `{"models":[]}`}, func(d *desk, s *shop) {
		one := d.create(wire.Config{SessionID: "s1"})
		one.hello("128000", "assumed")
		s.set("/api/ps", loadedInPs)
		one.hello("4096", "the server's /api/ps")
		one.hello("4096", "the server's /api/ps")
		if n := s.count(); n != 2 {
			t.Errorf("asked: %q, want the list and the page once more", s.asked)
		}
	}, ok)
}

// A window that requests ask Ollama for is bounded by the one that it has.
func TestARequestedWindowIsBoundedByTheServers(t *testing.T) {
	p := provider.Provider{Model: "m", ContextTokens: 65_536, ContextFrom: provider.WindowRequested, Vendor: "ollama", Endpoint: model.Endpoint{BaseURL: "http://localhost:11434", Dialect: ollama.Name}}
	s := &shop{pages: map[string]string{"/api/tags": `{"models":[]}`, "/api/ps": loadedInPs}}
	s.next = answers(`{"model":"m","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":100,"eval_count":10}`)
	d := &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: p}, calls: s}
	bubble(t, d, func(d *desk) {
		one := d.create(wire.Config{SessionID: "s1"})
		one.hello("65536", provider.WindowRequested)
		one.hello("4096", "the server's /api/ps")
	})
}

// answers is a transport that answers every request with one line of JSON.
type answers string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	host := modeltest.NewHost(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write([]byte(string(a) + "\n"))
	}))
	return host.Transport().RoundTrip(r)
}

// What a server has said, and what an error has named, is known to the next process before its first call, also when
// the server says nothing any more. The file has no credentials.
func TestTheNextProcessKnowsTheWindow(t *testing.T) {
	atShop(t, "http://user:pw@localhost:8080/v1?key=sk-secret", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, s *shop) {
		d.create(wire.Config{SessionID: "s1"}).hello("8192", ofProps)
		d.stop()
		s.set("/v1/models", "")
		s.set("/props", "")
		d.start(d.opts)
		d.resume(wire.Config{SessionID: "s1"}).hello("8192", ofProps+" on 2000-01-01")
		text, err := d.fs.ReadFile("/home/windows.json")
		if err != nil || strings.Contains(string(text), "pw") || strings.Contains(string(text), "secret") || !strings.Contains(string(text), `"http://localhost:8080/v1"`) {
			t.Errorf("the file is %s (%v)", text, err)
		}
	}, ok)
}

// An error that names a number has the server asked again. What the server says then decides when the error counts no
// longer: as soon as it says something else.
func TestAnErrorThatNamesANumberHasTheServerAskedAgain(t *testing.T) {
	tooLong := modeltest.Failure(400, "", "This model's maximum context length is 9000 tokens. However, your messages resulted in 9100 tokens.")
	refuses := true
	tooLong.When, tooLong.Repeat = func(*modeltest.Request) bool { return refuses }, true
	named := "an error of the provider on 2000-01-01"
	atShop(t, "http://localhost:8080/v1", map[string]string{"/v1/models": llamaCpp, "/props": props16384}, func(d *desk, s *shop) {
		one := d.create(wire.Config{SessionID: "s1"})
		one.send("hello")
		one.until("session.idle")
		refuses = false
		one.hello("9000", named)
		asked := s.count()
		if asked != 4 {
			t.Errorf("the server was asked for %q, want the list and /props twice", s.asked)
		}
		time.Sleep(5 * time.Minute)
		one.hello("9000", named) // it says the same as then
		s.set("/props", `{"default_generation_settings":{"n_ctx":32768}}`)
		time.Sleep(5 * time.Minute)
		one.hello("32768", ofProps)
	}, tooLong, ok)
}

// /status shows where messages go.
func TestWhereTheNextMessageGoes(t *testing.T) {
	atShop(t, "http://user:pw@models.example.com/v1", map[string]string{"/v1/models": llamaCpp, "/props": props8192}, func(d *desk, _ *shop) {
		got, err := d.create(wire.Config{SessionID: "s1"}).s.Settings().Destination(context.Background())
		if want := (session.Destination{Model: "m", Address: "http://models.example.com/v1", Window: provider.PromptWindow{Tokens: 8192, Source: ofProps}, Sight: prompt.Sight{Pictures: true}}); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}, ok)
}
