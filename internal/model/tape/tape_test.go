package tape_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

const key = "sk-the-key-0123456789abcdef"

// session is one run that records or replays: a client of models in every dialect.
type session struct {
	t      *testing.T
	path   string
	rec    *tape.Recorder
	player *tape.Player
	client *model.Client
	place  model.Place
}

func dialects() []model.Dialect {
	return []model.Dialect{chat.New(), responses.New(), anthropic.New(), gemini.New(), bedrock.New(), ollama.New(), extensions.New(nil)}
}

// recording starts to record what a transport carries.
func recording(t *testing.T, path string, through http.RoundTripper) *session {
	t.Helper()
	rec, err := tape.Record(tape.RecorderOptions{Path: path, Program: "test", Secrets: &obs.Redactor{}})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, path: path, rec: rec, place: model.Place{Session: "0198-one", Cwd: "/work/one"}}
	all := dialects()
	s.client = model.New(model.Options{Transport: through, Around: rec.Around, Retry: model.Retry{Attempts: 1}}, all[0], all[1:]...)
	t.Cleanup(s.client.Close)
	return s
}

// stop ends a recording and starts a replay of it.
func (s *session) replay() *session {
	s.t.Helper()
	if s.rec != nil {
		if err := s.rec.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	player, err := tape.Open(tape.PlayerOptions{Path: s.path, Tools: true})
	if err != nil {
		s.t.Fatal(err)
	}
	next := &session{t: s.t, path: s.path, player: player, place: model.Place{Session: "0198-two", Cwd: "/work/two"}}
	all := dialects()
	next.client = model.New(model.Options{Transport: noNetwork{s.t}, Around: player.Around, Retry: model.Retry{Attempts: 1}}, all[0], all[1:]...)
	s.t.Cleanup(next.client.Close)
	return next
}

// noNetwork fails the test when a request gets to it.
type noNetwork struct{ t *testing.T }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("a replay has sent %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

func (s *session) ask(ep model.Endpoint, text string) (*model.Response, []model.Delta, error) {
	s.t.Helper()
	r := model.Request{Model: "m", Stream: true, Place: s.place, Messages: []model.Message{{Role: model.RoleUser, Content: text}}, Thread: s.place.Session}
	var deltas []model.Delta
	resp, err := s.client.Stream(s.t.Context(), ep, r, func(d model.Delta) { deltas = append(deltas, d) })
	return resp, deltas, err
}

func (s *session) must(ep model.Endpoint, text string) *model.Response {
	s.t.Helper()
	resp, _, err := s.ask(ep, text)
	if err != nil {
		s.t.Fatalf("%q: %v", text, err)
	}
	return resp
}

var endpoint = model.Endpoint{BaseURL: "https://api.example/v1", APIKey: key}

func says(text string) *dialecttest.Server {
	return dialecttest.Events(`{"choices":[{"index":0,"delta":{"content":"`+text+`"},"finish_reason":"stop"}]}`, "[DONE]")
}

// The recording stands below the dialects: an answer in each comes back as it was, piece by piece.
func TestEveryDialectIsRecordedAndReplayed(t *testing.T) {
	for _, tc := range []struct {
		dialect string
		server  *dialecttest.Server
	}{
		{chat.Name, dialecttest.Events(
			`{"choices":[{"index":0,"delta":{"content":"Hel"}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"lo."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]")},
		{responses.Name, dialecttest.Events(
			`{"type":"response.output_text.delta","output_index":0,"delta":"Hello."}`, `{"type":"response.completed","response":{"status":"completed"}}`)},
		{anthropic.Name, dialecttest.Events(
			`{"type":"message_start","message":{"type":"message","id":"m1","usage":{"input_tokens":5}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello."}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)},
		{gemini.Name, dialecttest.Events(
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP","index":0}]}`)},
		{extensions.Name, says("Hello.")},
	} {
		t.Run(tc.dialect, func(t *testing.T) {
			ep := endpoint
			ep.Dialect = tc.dialect
			live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), tc.server)
			want, wanted, err := live.ask(ep, "Hi.")
			if err != nil || want.Text != "Hello." {
				t.Fatalf("recorded: %+v, %v", want, err)
			}
			again := live.replay()
			got, pieces, err := again.ask(ep, "Hi.")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, dialecttest.Measured()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(wanted, pieces); d != "" {
				t.Error(d)
			}
			if err := again.player.Err(); err != nil {
				t.Error(err)
			}
			if unused, of := again.player.Unused(); unused != 0 || of != 1 {
				t.Errorf("%d of %d calls are left", unused, of)
			}
		})
	}
}

// The key of an endpoint is nowhere in the file, not even if the model or the server repeats it.
func TestARecordingHasNoSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	live := recording(t, path, says("Your key is "+key))
	ep := endpoint
	ep.BaseURL = "https://user:pass-word-9876@api.example/v1?api-key=" + key
	ep.Headers = map[string]string{"X-Team": "team-secret-0123456789"}
	live.must(ep, "Is "+key+" my key?")
	refusing := recording(t, path, dialecttest.JSON(http.StatusUnauthorized, `{"error":{"message":"bad key `+key+`"}}`))
	if _, _, err := refusing.ask(ep, "Hi."); err == nil {
		t.Error("a 401 is no error")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, "pass-word-9876", "team-secret"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in the recording:\n%s", secret, data)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	live.replay().must(ep, "Is "+key+" my key?")
}

// Sessions may ask in another order than when they were recorded: a request is matched by what it
// says. Equal requests get their answers in the recorded order, each once.
func TestRequestsAreMatchedByContent(t *testing.T) {
	n := 0
	answers := []string{"first", "second", "third", "fourth"}
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), roundTrip(func(r *http.Request) (*http.Response, error) {
		n++
		return says(answers[n-1]).RoundTrip(r)
	}))
	for _, text := range []string{"A", "B", "A", "C"} {
		live.must(endpoint, text)
	}
	again := live.replay()
	for _, tc := range []struct{ text, want string }{{"C", "fourth"}, {"A", "first"}, {"B", "second"}, {"A", "third"}} {
		if got := again.must(endpoint, tc.text).Text; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.text, got, tc.want)
		}
	}
	_, _, err := again.ask(endpoint, "A")
	if err == nil || !strings.Contains(err.Error(), "once more: call 1 was like it, and has been answered") {
		t.Errorf("asked a third time: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Paths and ids of the run, the time, and the facts about the machine may differ, and nothing else.
func TestWhatMayDifferBetweenRuns(t *testing.T) {
	const old = "<current_datetime>2026-01-02T03:04:05Z</current_datetime>\n\n<environment_context>\nCurrent working directory: /work/one\n</environment_context>\n" +
		"See /work/one/a.go, \"/work/one\" and 0198-one. Ids: 0198f2a4-7c11-7000-8000-aabbccddeeff, call_AAAAAAAAAAAAAAAAAAAAAAAAAA, again 0198f2a4-7c11-7000-8000-aabbccddeeff."
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(old) }
	for _, tc := range []struct {
		name, now string
		same      bool
	}{
		{"the same", old, true},
		{"the folder", replaced("/work/one", "/work/two"), true},
		{"the recorded folder, which answers name", old, true},
		{"the session", replaced("0198-one", "0198-two"), true},
		{"the time", replaced("2026-01-02", "2027-12-31"), true},
		{"the machine", replaced("Current working", "Operating system: plan9\nCurrent working"), true},
		{"an id", replaced("0198f2a4", "11111111"), true},
		{"the id of a call of ours", replaced("AAAAAAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBBBBBB"), true},
		{"one of two equal ids", strings.Replace(old, "0198f2a4", "11111111", 1), false},
		{"another folder", replaced("/work/one/a.go", "/work/three/a.go"), false},
		{"a longer name", replaced("/work/one/a.go", "/work/one-a.go"), false},
		{"a word", replaced("See", "Look at"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), says("ok"))
			live.must(endpoint, old)
			_, _, err := live.replay().ask(endpoint, tc.now)
			if (err == nil) != tc.same {
				t.Errorf("the same: %v, want %v (%v)", err == nil, tc.same, err)
			}
		})
	}
}

// A request that was not recorded is not sent. The error says where it differs, and is not tried
// again.
func TestTheFirstDifferenceIsShown(t *testing.T) {
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), says("ok"))
	live.must(endpoint, "one\ntwo\nthree\nfour\nfive")
	live.must(endpoint, "something else")
	again := live.replay()
	_, _, err := again.ask(endpoint, "one\ntwo\nthree\nFOUR\nfive "+key)
	var failed *model.Error
	if !errors.As(err, &failed) || failed.Retryable || failed.Category != model.CategoryReplay {
		t.Fatalf("the error is %#v", err)
	}
	want := "replay: the request POST https://api.example/v1/chat/completions is not in the recording " + live.path + "\n" +
		"most like it is call 1 of the recording; the first difference (- recorded, + now):\n" +
		"at messages[0].content, line 4\n  two\n  three\n- four\n+ FOUR\n  five «redacted»"
	if d := cmp.Diff(want, failed.Message); d != "" {
		t.Error(d)
	}
	if err := again.player.Err(); err == nil || err.Error() != want {
		t.Errorf("Err is %v", err)
	}
	other := endpoint
	other.BaseURL = "https://other.example/v1"
	if _, _, err := again.ask(other, "one"); err == nil || !strings.Contains(err.Error(), "recorded are only calls of POST https://api.example/v1/chat/completions") {
		t.Errorf("another address: %v", err)
	}
}

// A failure that was recorded is replayed: no connection, an error answer, a stream
// that breaks, and a call that was aborted.
func TestFailuresAreReplayed(t *testing.T) {
	broken := errors.New("connection reset by peer")
	for _, tc := range []struct {
		name   string
		server roundTrip
		want   string
	}{
		{"no connection", func(*http.Request) (*http.Response, error) { return nil, broken }, "no answer: connection reset by peer"},
		{"an error", dialecttest.JSON(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`).RoundTrip, "HTTP 429: slow down"},
		{"a cut stream", func(r *http.Request) (*http.Response, error) {
			resp, err := says("half").RoundTrip(r)
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("data: {\"choices\":[]}\n\n"), failing{broken}))
			return resp, err
		}, "the stream was cut after 22 bytes: connection reset by peer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), tc.server)
			_, _, recorded := live.ask(endpoint, "Hi.")
			_, _, replayed := live.replay().ask(endpoint, "Hi.")
			for _, err := range []error{recorded, replayed} {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %s", err, tc.want)
				}
			}
			if fault.KindOf(recorded) != fault.KindOf(replayed) {
				t.Errorf("recorded %v, replayed %v", recorded, replayed)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A call that was aborted when it was recorded ends the replay with that reason; nothing hangs.
func TestAnAbortedCallIsReplayedAsAnError(t *testing.T) {
	ctx, abort := context.WithCancel(t.Context())
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), roundTrip(func(*http.Request) (*http.Response, error) {
		abort()
		return nil, context.Canceled
	}))
	_, err := live.client.Stream(ctx, endpoint, model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "Hi."}}}, nil)
	if fault.KindOf(err) != fault.Canceled {
		t.Fatal(err)
	}
	_, err = live.replay().client.Stream(t.Context(), endpoint, model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "Hi."}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "call 1 was aborted when it was recorded") {
		t.Errorf("%v", err)
	}
}
