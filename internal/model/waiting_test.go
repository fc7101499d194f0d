package model_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// What servers say while they load a model; errorrows.go has the sources.
var (
	llamaLoads  = modeltest.Reply{Status: 503, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}
	ollamaLoads = modeltest.Reply{Status: 500, Body: `{"error":"unexpected server status: llm server loading model"}`}
	hfLoads     = modeltest.Reply{Status: 503, Body: `{"error":"Model mistralai/Mistral-7B is currently loading","estimated_time":20.0}`}
)

// local is an address on this machine.
var local = model.Endpoint{BaseURL: "http://localhost:8080/v1"}

func repeated(r modeltest.Reply, n int) []modeltest.Reply {
	return slices.Repeat([]modeltest.Reply{r}, n)
}

func TestAServerThatLoadsItsModelIsWaitedFor(t *testing.T) {
	for name, loads := range map[string]modeltest.Reply{"llama.cpp": llamaLoads, "Ollama": ollamaLoads, "Hugging Face": hfLoads} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Three minutes are more than Retry.Total, and no retry is allowed at all.
				srv := modeltest.NewServer(append(repeated(loads, 180), modeltest.Reply{Text: "here"})...)
				defer srv.Close()
				c := model.New(model.Options{Transport: srv.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New())
				var said []model.Waiting
				req := asking
				req.OnRetry = func(int, time.Duration, time.Duration, error) { t.Error("loading counts as a failed attempt") }
				req.OnWaiting = func(w model.Waiting) { said = append(said, w) }
				start := time.Now()
				resp, err := c.Stream(t.Context(), local, req, nil)
				if err != nil || resp.Text != "here" || resp.Attempts != 1 {
					t.Fatalf("%+v, %v", resp, err)
				}
				if took := time.Since(start); took != 3*time.Minute {
					t.Errorf("it took %v, want a request every second", took)
				}
				if w := said[len(said)-1]; len(said) != 181 || said[0].Loading || !w.Loading || !w.Since.Equal(start) {
					t.Errorf("%d reports, the last %+v", len(said), w)
				}
			})
		})
	}
}

func TestLoadingEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		ep   model.Endpoint
		idle time.Duration
		want time.Duration
	}{
		{"on this machine", local, 0, time.Hour},
		{"elsewhere", endpoint, 0, 5 * time.Minute},
		{"as the client says", local, 2 * time.Minute, 2 * time.Minute},
		{"as the endpoint says", model.Endpoint{BaseURL: local.BaseURL, Silence: 30 * time.Second}, 2 * time.Minute, 30 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				loads := llamaLoads
				loads.Repeat = true
				srv := modeltest.NewServer(loads)
				defer srv.Close()
				c := model.New(model.Options{Transport: srv.Transport(), Idle: tc.idle}, chat.New())
				start := time.Now()
				_, err := c.Stream(t.Context(), tc.ep, asking, nil)
				e := failure(t, err)
				if e.Category != model.CategoryOverloaded || !strings.Contains(e.Message, "Loading model; it was waited for") {
					t.Errorf("%v", err)
				}
				if took := time.Since(start); took != tc.want {
					t.Errorf("it took %v, want %v", took, tc.want)
				}
			})
		})
	}
}

func TestAnAbortEndsTheWaitForALoadingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		loads := llamaLoads
		loads.Repeat = true
		start := time.Now()
		_, _, err := callIn(ctx, asking, loads)
		if took := time.Since(start); took != 90*time.Second || err == nil {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// The time in which a server loads is no part of that for which failures are tried again; a server that has
// failed to load its model does not load.
func TestLoadingAndFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := append([]modeltest.Reply{modeltest.Failure(502, "", "no")}, repeated(llamaLoads, 150)...)
		script = append(script, modeltest.Failure(502, "", "no"))
		script = append(script, repeated(llamaLoads, 150)...)
		if resp, _, err := call(t, asking, append(script, modeltest.Reply{Text: "here"})...); err != nil || resp.Attempts != 3 {
			t.Errorf("%+v, %v", resp, err)
		}
		start := time.Now()
		broken := modeltest.Reply{Status: 503, Body: `{"error":{"message":"error loading model: unknown architecture"}}`, Repeat: true}
		if _, _, err := call(t, asking, broken); err == nil || time.Since(start) > 3*time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// Nothing but the silence that is accepted ends a call whose first token is late.
func TestAFirstTokenAfterManyMinutesIsAnAnswer(t *testing.T) {
	const four = 4 * time.Minute
	for _, tc := range []struct {
		address string
		delay   time.Duration
		ok      bool
	}{
		{"http://localhost:8080/v1", 59 * time.Minute, true},
		{"http://127.0.0.1/v1", 59 * time.Minute, true},
		{"http://[::1]:1/v1", 59 * time.Minute, true},
		{"http://0.0.0.0:1/v1", 59 * time.Minute, true},
		{"http://llama.localhost:1/v1", 59 * time.Minute, true},
		{"http://localhost:8080/v1", 61 * time.Minute, false},
		{"http://192.168.1.2/v1", four, true},
		{"http://192.168.1.2/v1", 6 * time.Minute, false},
		{"https://localhost.example.com/v1", 6 * time.Minute, false},
	} {
		t.Run(tc.address+" "+tc.delay.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := modeltest.NewServer(modeltest.Reply{Text: "late", Delay: tc.delay, Repeat: true})
				defer srv.Close()
				c := model.New(model.Options{Transport: srv.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New())
				resp, err := c.Stream(t.Context(), model.Endpoint{BaseURL: tc.address}, asking, nil)
				if (err == nil) != tc.ok || tc.ok && resp.Text != "late" {
					t.Errorf("%+v, %v", resp, err)
				}
			})
		})
	}
}

// A call that waits at a server on this machine knows how many others are under way there, and hears of
// their ends. Those at other servers do not count.
func TestCallsAtOneServerKnowOfEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer(
			modeltest.Reply{When: modeltest.LastIs("first"), Text: "a", Delay: 10 * time.Second}, modeltest.Reply{When: modeltest.LastIs("second"), Text: "b", Delay: 20 * time.Second},
			modeltest.Reply{When: modeltest.LastIs("third"), Text: "c", Delay: 30 * time.Second},
		)
		defer srv.Close()
		c := newClient(srv)
		var mu sync.Mutex
		said := map[string][]int{}
		var calls sync.WaitGroup
		for _, of := range []struct{ text, base string }{{"first", local.BaseURL}, {"second", local.BaseURL}, {"third", "http://localhost:9/v1"}} {
			calls.Go(func() {
				req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: of.text}}}
				req.OnWaiting = func(w model.Waiting) {
					mu.Lock()
					defer mu.Unlock()
					said[of.text] = append(said[of.text], w.Others)
					if time.Since(w.Since) > 10*time.Second {
						t.Errorf("%s waits since %v", of.text, w.Since)
					}
				}
				if _, err := c.Stream(t.Context(), model.Endpoint{BaseURL: of.base}, req, nil); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Wait()
		if !slices.Equal(said["first"], []int{0}) || !slices.Equal(said["second"], []int{1, 0}) || !slices.Equal(said["third"], []int{0}) {
			t.Errorf("the calls heard of others: %v", said)
		}
	})
}

// A call whose answer has begun waits for nothing any more, and hears of no others.
func TestAnAnswerThatHasBegunHearsOfNoOtherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer(
			modeltest.Reply{When: modeltest.LastIs("slow"), Pieces: []string{"a", "b", "c"}, Gap: time.Minute}, modeltest.Reply{When: modeltest.LastIs("short"), Text: "b", Delay: time.Second},
		)
		defer srv.Close()
		c := newClient(srv)
		var calls sync.WaitGroup
		told := 0
		for _, text := range []string{"slow", "short"} {
			calls.Go(func() {
				req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: text}}}
				if text == "slow" {
					req.OnWaiting = func(model.Waiting) { told++ }
				}
				if _, err := c.Stream(t.Context(), local, req, nil); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Wait()
		if told != 1 {
			t.Errorf("it was told %d times what it waits for, want once", told)
		}
	})
}

// A call that is told of others while these go on is told nothing of them once its answer has begun.
func TestNewsThatAnAnswerOvertakesIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer(
			modeltest.Reply{When: modeltest.LastIs("first"), Text: "a", Delay: time.Minute}, modeltest.Reply{When: modeltest.LastIs("second"), Pieces: []string{"b", "b"}, Delay: 2 * time.Second, Gap: time.Minute},
			modeltest.Reply{When: modeltest.LastIs("third"), Text: "c", Delay: time.Second},
		)
		defer srv.Close()
		c := newClient(srv)
		begun := make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) })
		var calls sync.WaitGroup
		for _, text := range []string{"first", "second", "third"} {
			calls.Go(func() {
				req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: text}}}
				told := 0
				req.OnWaiting = func(model.Waiting) {
					told++
					switch {
					case text == "first" && told == 2: // the third call has ended, and the second one hears of it after this
						<-begun
					case text == "second" && told > 1:
						t.Error("the second call was told of the third when its own answer had begun")
					}
				}
				piece := func(model.Delta) {
					if text == "second" {
						begin()
					}
				}
				if _, err := c.Stream(t.Context(), local, req, piece); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Wait()
	})
}

// A server that has loaded its model reads the prompt, and the call says so. Before that, it hears of no other call; after
// it, it does.
func TestAnAttemptThatALoadingServerAccepts(t *testing.T) {
	type report struct {
		at, since time.Duration // since the call began
		loading   bool
		others    int
	}
	const second = time.Second
	late := llamaLoads
	late.Delay = 3 * second
	for name, tc := range map[string]struct {
		loads    []modeltest.Reply
		recorded bool
		want     []report
	}{
		"refused at once": {repeated(llamaLoads, 2), false, []report{
			{0, 0, false, 1}, {0, 0, true, 0}, {second, 0, true, 0}, {3 * second, 2 * second, false, 1}, {30 * second, 2 * second, false, 0},
		}},
		"refused late": {[]modeltest.Reply{llamaLoads, late}, false, []report{
			{0, 0, false, 1}, {0, 0, true, 0}, {2 * second, second, false, 1}, {4 * second, 0, true, 0}, {6 * second, 5 * second, false, 1}, {30 * second, 5 * second, false, 0},
		}},
		"a recording": {repeated(llamaLoads, 2), true, []report{{0, 0, false, 1}, {0, 0, true, 0}, {second, 0, true, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := []modeltest.Reply{{When: modeltest.LastIs("other"), Text: "b", Delay: 30 * second}}
				for _, r := range append(tc.loads, modeltest.Reply{Pieces: []string{"a", "b"}, Delay: time.Minute, Gap: time.Minute}) {
					r.When = modeltest.LastIs("go")
					script = append(script, r)
				}
				srv := modeltest.NewServer(script...)
				defer srv.Close()
				o := model.Options{Transport: srv.Transport()}
				if tc.recorded {
					o.Around = func(r http.RoundTripper) http.RoundTripper { return r }
				}
				c := model.New(o, chat.New())
				var calls sync.WaitGroup
				start, said := time.Now(), []report(nil)
				for _, text := range []string{"other", "go"} {
					calls.Go(func() {
						req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: text}}}
						if text == "go" {
							req.OnWaiting = func(w model.Waiting) {
								said = append(said, report{time.Since(start), w.Since.Sub(start), w.Loading, w.Others})
							}
						}
						if _, err := c.Stream(t.Context(), local, req, nil); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				calls.Wait()
				if !slices.Equal(said, tc.want) {
					t.Errorf("it was told\n%+v, want\n%+v", said, tc.want)
				}
			})
		})
	}
}

// llama.cpp is asked how much of the prompt it has read, once it is known to be llama.cpp, and if somebody
// wants to know.
func TestProgressOfThePrompt(t *testing.T) {
	const progress = `{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"object":"chat.completion.chunk",` +
		`"prompt_progress":{"total":6289,"cache":100,"processed":3100,"time_ms":12000}}`
	answer := func(server string, gap time.Duration) modeltest.Reply {
		return modeltest.Reply{Header: map[string]string{"Server": server}, Gap: gap, Events: []string{
			progress, strings.Replace(progress, "3100", "6289", 1), `{"choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}`, "[DONE]",
		}}
	}
	for _, tc := range []struct {
		name, server string
		silent       bool // nobody listens
		recorded     bool
		want         []bool // whether a request asks
	}{
		{"known after the first answer", "llama.cpp", false, false, []bool{false, true, true}},
		{"another server", "uvicorn", false, false, []bool{false, false, false}},
		{"nobody listens", "llama.cpp", true, false, []bool{false, false, false}},
		{"a recording", "llama.cpp", false, true, []bool{false, false, false}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := modeltest.NewServer(answer(tc.server, 0), answer(tc.server, 0), answer(tc.server, 50*time.Minute))
				defer srv.Close()
				o := model.Options{Transport: srv.Transport()}
				if tc.recorded {
					o.Around = func(r http.RoundTripper) http.RoundTripper { return r }
				}
				c := model.New(o, chat.New())
				var said []int64
				for range tc.want {
					req := asking
					said = nil
					if !tc.silent {
						req.OnWaiting = func(w model.Waiting) { said = append(said, w.Read, w.Total) }
					}
					deltas := 0
					resp, err := c.Stream(t.Context(), local, req, func(model.Delta) { deltas++ })
					if err != nil || resp.Text != "done" || deltas != 1 {
						t.Errorf("%+v, %v with %d pieces", resp, err, deltas)
					}
				}
				for i, r := range srv.Requests() {
					if got := strings.Contains(string(r.Raw), `"return_progress":true`); got != tc.want[i] {
						t.Errorf("request %d asks %v: %s", i, got, r.Raw)
					}
				}
				if want := []int64{0, 0, 3100, 6289, 6289, 6289}; !tc.silent && !slices.Equal(said, want) {
					t.Errorf("it was said %v, want %v", said, want)
				}
			})
		})
	}
}

func TestAFailedLoadIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loads := llamaLoads
		loads.Repeat = true
		_, _, err := call(t, asking, loads)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Unavailable || !failure(t, err).OtherModelHelps() {
			t.Errorf("%v", err)
		}
	})
}
