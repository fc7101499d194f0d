package timeline

import (
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestWhatACallWaitsFor(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name, waiting string
		later         time.Duration
		want          string
	}{
		{"not worth a word yet", `{"sinceMs":0,"tokens":6289}`, time.Second, ""},
		{"tokens", `{"sinceMs":0,"tokens":6289}`, 25 * time.Second, "waiting for the model (25 s); 6,289 tokens to read"},
		{"minutes", `{"sinceMs":1000}`, 89 * time.Second, "waiting for the model (1 min 30 s)"},
		{"loading", `{"sinceMs":24000,"tokens":6289,"loading":true}`, time.Second, "the server is loading the model, 25 s"},
		{"it does not say any more that it loads", `{"sinceMs":24000,"tokens":6289,"loading":true}`, 10 * time.Second, "waiting for the model (10 s); 6,289 tokens to read"},
		{"progress", `{"sinceMs":12000,"tokens":5275,"read":3100,"total":6289}`, 0, "reading 3,100 of 6,289 tokens (12 s)"},
		{"more than there is", `{"sinceMs":12000,"read":7000,"total":6289}`, 0, "reading 6,289 of 6,289 tokens (12 s)"},
		{"busy", `{"sinceMs":5000,"tokens":6289,"others":2}`, 0, "the server is busy with 2 other calls of this process (5 s)"},
		{"busy with one", `{"sinceMs":5000,"others":1}`, 0, "the server is busy with another call of this process (5 s)"},
		{"another clock", `{"sinceMs":-5000,"loading":true}`, 0, "the server is loading the model, 0 s"},
		{"of a newer server", `[]`, time.Minute, ""},
	} {
		e := wire.Event{Header: wire.Header{Type: "session.info"}, Data: []byte(`{"infoType":"model_waiting","message":"","waiting":` + tc.waiting + `}`)}
		w, ok := ReadWaiting(e, now)
		if got := w.Text(now.Add(tc.later)); got != tc.want || !ok {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, ok, tc.want)
		}
	}
	if _, ok := ReadWaiting(wire.Event{Header: wire.Header{Type: "session.info"}, Data: []byte(`{"infoType":"x"}`)}, now); ok {
		t.Error("another event is taken for that of a wait")
	}
}
