package model_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestModelsReadsWhatEndpointsSay(t *testing.T) {
	copilot := `{"id":"c","name":"C","vendor":"V","capabilities":{"supports":{"vision":true,"reasoning_effort":["low","high"]},` +
		`"limits":{"max_prompt_tokens":1,"max_output_tokens":2,"max_context_window_tokens":3}},"policy":{"state":"enabled"},"billing":{"multiplier":1}}`
	router := `{"id":"r","name":"R","context_length":9,"architecture":{"input_modalities":["text","image"]},"top_provider":{"max_completion_tokens":4}}`
	for _, tc := range []struct {
		name, body string
		want       []model.Info
	}{
		{"OpenAI", `{"object":"list","data":[{"id":"a","owned_by":"system"},{"id":"b"}]}`, []model.Info{{ID: "a", Name: "a", Vendor: "system"}, {ID: "b", Name: "b"}}},
		{"the Copilot API", `{"data":[` + copilot + `]}`, []model.Info{{
			ID: "c", Name: "C", Vendor: "V", Vision: true, MaxPrompt: 1, MaxOutput: 2, MaxContext: 3, ReasoningEfforts: []string{"low", "high"},
			Policy: json.RawMessage(`{"state":"enabled"}`), Billing: json.RawMessage(`{"multiplier":1}`),
		}}},
		{"OpenRouter", `{"data":[` + router + `]}`, []model.Info{{ID: "r", Name: "R", Vision: true, MaxOutput: 4, MaxContext: 9}}},
		{"a bare list", `[{"id":"t","context_length":8},{"id":"v","max_model_len":7}]`, []model.Info{{ID: "t", Name: "t", MaxContext: 8}, {ID: "v", Name: "v", MaxContext: 7}}},
		{"wrong types and no id", `{"data":[{"id":"x","capabilities":[],"context_length":"9"},{"name":"nobody"},7]}`, []model.Info{{ID: "x", Name: "x"}}},
		{"none", `{"data":[]}`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := modeltest.NewServer()
			defer srv.Close()
			srv.SetModels(modeltest.Reply{Body: tc.body})
			got, err := newClient(srv).Models(t.Context(), endpoint)
			for i := range got {
				if !json.Valid(got[i].Raw) {
					t.Errorf("Raw of %s is %q", got[i].ID, got[i].Raw)
				}
				got[i].Raw = nil
			}
			if d := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

func TestModelsIsAskedOncePerFiveMinutesAndCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer()
		defer srv.Close()
		client := newClient(srv)
		other := endpoint
		other.BearerToken = "t"
		fresh := endpoint
		fresh.Fresh = true
		for _, tc := range []struct {
			name  string
			ep    model.Endpoint
			wait  time.Duration
			asked int
		}{
			{"first", endpoint, 0, 1},
			{"kept", endpoint, 5*time.Minute - time.Second, 1},
			{"another credential", other, 0, 2},
			{"stale", endpoint, time.Second, 3},
			{"kept again", endpoint, 0, 3},
			{"fresh", fresh, 0, 4},
		} {
			<-time.After(tc.wait)
			if _, err := client.Models(t.Context(), tc.ep); err != nil || srv.Listings() != tc.asked {
				t.Errorf("%s: asked %d times, want %d (%v)", tc.name, srv.Listings(), tc.asked, err)
			}
		}
	})
}

func TestAFailureToListIsKeptForSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer()
		defer srv.Close()
		client := newClient(srv)
		srv.SetModels(modeltest.Reply{Status: 500, Body: "Proxy error"})
		for range 3 {
			if _, err := client.Models(t.Context(), endpoint); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v, want Unavailable", err)
			}
		}
		if srv.Listings() != 1 {
			t.Errorf("asked %d times, want once: failures are kept, and not retried", srv.Listings())
		}
		srv.SetModels(modeltest.Reply{Body: `{"data":[{"id":"a"}]}`})
		<-time.After(5 * time.Second)
		if got, err := client.Models(t.Context(), endpoint); err != nil || len(got) != 1 {
			t.Errorf("after 5 s: %v, %v", got, err)
		}
	})
}

func TestWhatIsNotAListIsSaidSo(t *testing.T) {
	for _, body := range []string{`<html>`, `{"models":[]}`, `[`, `"x"`} {
		srv := modeltest.NewServer()
		srv.SetModels(modeltest.Reply{Body: body})
		_, err := newClient(srv).Models(t.Context(), endpoint)
		if e := failure(t, err); e.Category != model.CategoryProtocol {
			t.Errorf("%s: %v", body, err)
		}
		srv.Close()
	}
}

func TestConcurrentCallersShareOneListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer()
		defer srv.Close()
		srv.SetModels(modeltest.Reply{Body: `{"data":[{"id":"a"}]}`, Delay: time.Second})
		client := newClient(srv)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if got, err := client.Models(t.Context(), endpoint); err != nil || len(got) != 1 {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
		all.Wait()
		if srv.Listings() != 1 {
			t.Errorf("asked %d times, want once", srv.Listings())
		}
	})
}

func TestACallerWhoGivesUpDoesNotTakeTheOthersAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer()
		defer srv.Close()
		srv.SetModels(modeltest.Reply{Body: `{"data":[{"id":"a"}]}`, Delay: 2 * time.Second})
		client := newClient(srv)
		hasty, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := client.Models(hasty, endpoint); fault.KindOf(err) != fault.Canceled {
				t.Errorf("the hasty one got %v, want Canceled", err)
			}
		})
		synctest.Wait()
		both.Go(func() {
			if got, err := client.Models(t.Context(), endpoint); err != nil || len(got) != 1 {
				t.Errorf("the patient one got %v, %v", got, err)
			}
		})
		synctest.Wait()
		cancel()
		both.Wait()
	})
}

func TestAListingThatNeverComesIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer()
		defer srv.Close()
		srv.SetModels(modeltest.Silent())
		start := time.Now()
		_, err := newClient(srv).Models(t.Context(), endpoint)
		if e := failure(t, err); e.Category != model.CategoryTimeout || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
