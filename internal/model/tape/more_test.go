package tape_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// carrier is the transport of a client that carries the calls of its sessions.
type carrier struct{ http.RoundTripper }

func (carrier) Key() string { return "client" }

func (carrier) May(model.Owner) bool { return true }

func (carrier) Withheld(string) {}

// Calls that a client carries are recorded, too, also those over a WebSocket, and replayed without
// the client.
func TestCallsThatAClientCarries(t *testing.T) {
	server := dialecttest.Events(`{"type":"response.output_text.delta","output_index":0,"delta":"Hello."}`, `{"type":"response.completed","response":{"status":"completed"}}`)
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), noNetwork{t})
	ep := endpoint
	ep.Dialect, ep.Transport, ep.WebSocket = responses.Name, carrier{server}, true
	if got := live.must(ep, "Hi.").Text; got != "Hello." || server.Request.URL.Scheme != "wss" {
		t.Errorf("%s from %s", got, server.Request.URL)
	}
	again := live.replay()
	ep.Transport = carrier{noNetwork{t}}
	if got := again.must(ep, "Hi.").Text; got != "Hello." {
		t.Errorf("replayed: %s", got)
	}
}

// A list of models is recorded, and a replay may ask for it as often as it likes.
func TestListsOfModels(t *testing.T) {
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), dialecttest.JSON(http.StatusOK, `{"data":[{"id":"m"}]}`))
	if _, err := live.client.Models(t.Context(), endpoint); err != nil {
		t.Fatal(err)
	}
	again := live.replay()
	for range 2 {
		ep := endpoint
		ep.Fresh = true
		list, err := again.client.Models(t.Context(), ep)
		if err != nil || len(list) != 1 || list[0].ID != "m" {
			t.Fatalf("%v, %v", list, err)
		}
	}
	if unused, of := again.player.Unused(); unused != 0 || of != 0 {
		t.Errorf("%d of %d: a list counts as a call", unused, of)
	}
	other := endpoint
	other.BaseURL = "https://other.example/v1"
	if _, err := again.client.Models(t.Context(), other); err == nil {
		t.Error("a list that was not recorded is there")
	}
	if err := again.player.Err(); err != nil {
		t.Errorf("a list that is missing fails the replay: %v", err)
	}
}

// Many sessions record and replay at the same time, each in a place of its own.
func TestManySessionsAtOnce(t *testing.T) {
	const sessions, turns = 8, 20
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), roundTrip(func(r *http.Request) (*http.Response, error) {
		return says("ok").RoundTrip(r)
	}))
	all := func(s *session) {
		var group sync.WaitGroup
		for i := range sessions {
			group.Go(func() {
				for n := range turns {
					text := strings.Repeat("x", i+1) + strings.Repeat(" turn", n)
					r := model.Request{Model: "m", Stream: true, Place: s.place, Messages: []model.Message{{Role: model.RoleUser, Content: text}}}
					r.Place.Session += strings.Repeat("s", i)
					if _, err := s.client.Stream(t.Context(), endpoint, r, nil); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
	}
	all(live)
	again := live.replay()
	all(again)
	if unused, of := again.player.Unused(); unused != 0 || of != sessions*turns {
		t.Errorf("%d of %d are left", unused, of)
	}
}
