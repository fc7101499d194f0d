package known

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Every is the ID of an entry of the user's file that is for every model of its provider. It has a
// [Request] only.
const Every = "*"

// Request is what the user's file sets for the calls of a model. Nil and zero leave it to the provider.
type Request struct {
	Temperature      *float64 `json:"temperature,omitempty"`
	TopP             *float64 `json:"topP,omitempty"`
	TopK             *int64   `json:"topK,omitempty"`
	MinP             *float64 `json:"minP,omitempty"`
	Seed             *int64   `json:"seed,omitempty"`
	PresencePenalty  *float64 `json:"presencePenalty,omitempty"`
	FrequencyPenalty *float64 `json:"frequencyPenalty,omitempty"`
	RepeatPenalty    *float64 `json:"repeatPenalty,omitempty"`
	// ExtraBody are further members of the body, by name.
	ExtraBody map[string]json.RawMessage `json:"extraBody,omitempty"`
	// Silence is the longest silence that is accepted of the server, as a duration from 1s to 24h.
	Silence string `json:"silence,omitempty"`
}

// LongestSilence is Silence as a time, 0 if it is not set.
func (r *Request) LongestSilence() time.Duration {
	if r == nil {
		return 0
	}
	d, _ := time.ParseDuration(r.Silence) // check has read it
	return d
}

// Sends reports whether r changes what is sent.
func (r *Request) Sends() bool {
	if r == nil {
		return false
	}
	return r.Temperature != nil || r.TopP != nil || r.TopK != nil || r.MinP != nil || r.Seed != nil || r.PresencePenalty != nil ||
		r.FrequencyPenalty != nil || r.RepeatPenalty != nil || len(r.ExtraBody) > 0
}

// over returns r with what it leaves open taken from base. Members of ExtraBody are taken one by one.
func (r *Request) over(base *Request) *Request {
	if r == nil || base == nil {
		if r == nil {
			return base
		}
		return r
	}
	m := *base
	set(&m.Temperature, r.Temperature)
	set(&m.TopP, r.TopP)
	set(&m.TopK, r.TopK)
	set(&m.MinP, r.MinP)
	set(&m.Seed, r.Seed)
	set(&m.PresencePenalty, r.PresencePenalty)
	set(&m.FrequencyPenalty, r.FrequencyPenalty)
	set(&m.RepeatPenalty, r.RepeatPenalty)
	if r.Silence != "" {
		m.Silence = r.Silence
	}
	if len(r.ExtraBody) > 0 {
		all := maps.Clone(r.ExtraBody)
		for name, value := range base.ExtraBody {
			if _, own := all[name]; !own {
				all[name] = value
			}
		}
		m.ExtraBody = all
	}
	return &m
}

func set[T any](to **T, value *T) {
	if value != nil {
		*to = value
	}
}

// requestOf is what the entries of a provider, or else those of all providers, set for every model, below
// what the entry of a model sets.
func requestOf(user []Model, provider string, own *Request) *Request {
	for _, of := range []string{provider, ""} {
		if i := slices.IndexFunc(user, func(m Model) bool { return m.Provider == of && m.ID == Every }); i >= 0 {
			return own.over(user[i].Request)
		}
	}
	return own
}

// everyModel refuses fields of an entry for every model that are about one.
func (m *Model) everyModel() error {
	if m.ID != Every {
		return nil
	}
	if m.Request == nil {
		return errors.New("an entry for every model needs the field request")
	}
	rest := Model{Provider: m.Provider, ID: m.ID, Request: m.Request, Note: m.Note, Source: m.Source, Date: m.Date}
	a, errA := json.Marshal(m)
	b, errB := json.Marshal(rest)
	if errA != nil || errB != nil || string(a) != string(b) {
		return errors.New("an entry for every model can have only provider, request, note, source and date")
	}
	return nil
}

func (r *Request) check() error {
	if r == nil {
		return nil
	}
	for _, n := range []struct {
		field       string
		value       *float64
		least, most float64
	}{
		{"temperature", r.Temperature, 0, 10},
		{"topP", r.TopP, 0, 1},
		{"minP", r.MinP, 0, 1},
		{"presencePenalty", r.PresencePenalty, -10, 10},
		{"frequencyPenalty", r.FrequencyPenalty, -10, 10},
		{"repeatPenalty", r.RepeatPenalty, 0, 10},
	} {
		if v := n.value; v != nil && (*v < n.least || *v > n.most || math.IsNaN(*v)) {
			return fmt.Errorf("request.%s is %g, want %g to %g", n.field, *v, n.least, n.most)
		}
	}
	if k := r.TopK; k != nil && (*k < -1 || *k > 1_000_000) {
		return fmt.Errorf("request.topK is %d, want -1 to 1000000", *k)
	}
	if d, err := time.ParseDuration(r.Silence); r.Silence != "" && (err != nil || d < time.Second || d > 24*time.Hour) {
		return fmt.Errorf("request.silence is %q, want a time from 1s to 24h, such as 90m", fault.Bounded(r.Silence))
	}
	if _, empty := r.ExtraBody[""]; empty {
		return errors.New("request.extraBody has a member without a name")
	}
	return nil
}
