package canvas_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// drawer is a client that draws canvases.
type drawer struct {
	attached context.Context
	leave    context.CancelFunc
	called   []string // methods, with the action
	answer   string   // JSON
	fails    error
	hangs    bool
	deaf     bool // cannot be called
}

func (d *drawer) Attached() context.Context { return d.attached }

func (d *drawer) Reachable() bool { return !d.deaf }

func (d *drawer) Call(ctx context.Context, method string, params, result any) error {
	sent, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var read struct{ SessionID, InstanceID, ActionName string }
	if err := json.Unmarshal(sent, &read); err != nil {
		return err
	}
	d.called = append(d.called, strings.TrimSpace(strings.Join([]string{method, read.SessionID, read.InstanceID, read.ActionName}, " ")))
	if d.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if d.fails != nil || d.answer == "" || result == nil {
		return d.fails
	}
	return json.Unmarshal([]byte(d.answer), result)
}

// scene is a session with its canvases.
type scene struct {
	*canvas.Canvases
	session statetest.Session
}

func newScene() *scene {
	s := &scene{}
	s.Canvases = canvas.New(&s.session, "s1")
	return s
}

// join attaches a client that brings canvases.
func (s *scene) join(t *testing.T, extension string, ids ...string) *drawer {
	t.Helper()
	d := &drawer{}
	d.attached, d.leave = context.WithCancel(t.Context())
	cfg := wire.Config{CanvasProvider: &wire.CanvasProvider{ID: extension, Name: "The " + extension}}
	for _, id := range ids {
		cfg.Canvases = append(cfg.Canvases, wire.CanvasDeclared{ID: id, DisplayName: strings.ToUpper(id)})
	}
	_ = s.session.Do(t.Context(), func() error { s.Join(d, cfg); return nil })
	return d
}

// left reports that a client has left.
func (s *scene) left(t *testing.T, d *drawer) {
	t.Helper()
	d.leave()
	_ = s.session.Do(t.Context(), func() error { s.Left(d); return nil })
}

func (s *scene) isOpen(t *testing.T) (instances []string) {
	t.Helper()
	list, err := s.ListOpen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		instances = append(instances, o.InstanceID)
	}
	return instances
}

// A client opens, uses and closes its canvas; the clients learn of each step.
func TestACanvasFromItsOpeningToItsEnd(t *testing.T) {
	s := newScene()
	d := s.join(t, "maps", "map")
	d.answer = `{"url": "https://example.com", "title": "Here"}`
	o, err := s.Open(t.Context(), canvas.Opening{CanvasID: "map", InstanceID: "i1", Input: json.RawMessage(`{"at": 1}`)})
	if err != nil || o.URL == nil || *o.URL != "https://example.com" || o.ExtensionID != "maps" || string(o.Input.(json.RawMessage)) != `{"at": 1}` {
		t.Errorf("Open = %+v, %v, want the canvas with the answer of the client", o, err)
	}
	d.answer = `{"done": true}`
	if got, err := s.Act(t.Context(), "i1", "zoom", nil); err != nil || string(got) != d.answer {
		t.Errorf("Act = %s, %v, want %s", got, err, d.answer)
	}
	if open := s.isOpen(t); !slices.Equal(open, []string{"i1"}) {
		t.Errorf("open: %v, want i1", open)
	}
	if err := s.Close(t.Context(), "i1"); err != nil || len(s.isOpen(t)) > 0 {
		t.Errorf("Close = %v, open: %v, want none", err, s.isOpen(t))
	}
	if want := []string{"canvas.open s1 i1", "canvas.action.invoke s1 i1 zoom", "canvas.close s1 i1"}; !slices.Equal(d.called, want) {
		t.Errorf("the client was called %q, want %q", d.called, want)
	}
	if want := []wire.EventType{"session.canvas.registry_changed", "session.canvas.opened", "session.canvas.closed"}; !slices.Equal(s.session.Types(), want) {
		t.Errorf("clients were sent %v, want %v", s.session.Types(), want)
	}
}

// What cannot be opened is an error that says why, and no client is called.
func TestWhatCannotBeOpened(t *testing.T) {
	s := newScene()
	maps, other := s.join(t, "maps", "map", "globe"), s.join(t, "other", "map")
	if _, err := s.Open(t.Context(), canvas.Opening{CanvasID: "globe", InstanceID: "g"}); err != nil {
		t.Fatal(err)
	}
	maps.called = nil
	for name, test := range map[string]struct {
		opening canvas.Opening
		want    fault.Kind
	}{
		"without an instance":          {canvas.Opening{CanvasID: "map"}, fault.Invalid},
		"that nobody has":              {canvas.Opening{CanvasID: "chart", InstanceID: "i"}, fault.NotFound},
		"that its extension lacks":     {canvas.Opening{CanvasID: "globe", ExtensionID: "other", InstanceID: "i"}, fault.NotFound},
		"that two have":                {canvas.Opening{CanvasID: "map", InstanceID: "i"}, fault.Conflict},
		"in an instance of another":    {canvas.Opening{CanvasID: "map", ExtensionID: "maps", InstanceID: "g"}, fault.Conflict},
		"of a client that cannot hear": {canvas.Opening{CanvasID: "map", ExtensionID: "other", InstanceID: "i"}, fault.Unavailable},
	} {
		other.deaf = test.want == fault.Unavailable
		if _, err := s.Open(t.Context(), test.opening); fault.KindOf(err) != test.want {
			t.Errorf("a canvas %s: %v, want the kind %v", name, err, test.want)
		}
	}
	if len(maps.called)+len(other.called) > 0 {
		t.Errorf("clients were called: %q %q", maps.called, other.called)
	}
	if _, err := s.Act(t.Context(), "none", "zoom", nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an action of a canvas that is not open: %v, want NotFound", err)
	}
}

// With its client, a canvas closes and is offered no more. A client that left while it opened
// one has opened none.
func TestCanvasesLeaveWithTheirClient(t *testing.T) {
	s := newScene()
	stays, leaves := s.join(t, "stays", "a"), s.join(t, "leaves", "b")
	for instance, id := range map[string]string{"i1": "a", "i2": "b"} {
		if _, err := s.Open(t.Context(), canvas.Opening{CanvasID: id, InstanceID: instance}); err != nil {
			t.Fatal(err)
		}
	}
	before := len(s.session.Types())
	s.left(t, leaves)
	if open := s.isOpen(t); !slices.Equal(open, []string{"i1"}) {
		t.Errorf("open: %v, want i1", open)
	}
	if sent := s.session.Types()[before:]; !slices.Equal(sent, []wire.EventType{"session.canvas.unavailable", "session.canvas.registry_changed"}) {
		t.Errorf("clients were sent %v", sent)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].ExtensionID != "stays" {
		t.Errorf("List = %+v, %v, want that of the client that stays", list, err)
	}
	stays.fails = errors.New("it broke")
	if err := s.Close(t.Context(), "i1"); err == nil || len(s.isOpen(t)) > 0 {
		t.Errorf("Close = %v, open: %v, want the error of the client, and no canvas", err, s.isOpen(t))
	}
}

// A call ends when its client leaves, and after a minute in any case.
func TestACallOfAClientEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		d := s.join(t, "maps", "map")
		d.hangs = true
		begin := time.Now()
		if _, err := s.Open(t.Context(), canvas.Opening{CanvasID: "map", InstanceID: "i"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
			t.Errorf("after %v: %v, want the end after a minute", time.Since(begin), err)
		}
		begin = time.Now()
		time.AfterFunc(time.Second, d.leave)
		if _, err := s.Open(t.Context(), canvas.Opening{CanvasID: "map", InstanceID: "i"}); !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
			t.Errorf("after %v: %v, want the end with the client", time.Since(begin), err)
		}
	})
}

func TestCanvasesThatCannotBeToldApart(t *testing.T) {
	for _, list := range [][]wire.CanvasDeclared{{{}}, {{ID: "a"}, {ID: "a"}}} {
		if canvas.Check(list) == nil {
			t.Errorf("%v is allowed", list)
		}
	}
	if err := canvas.Check([]wire.CanvasDeclared{{ID: "a"}, {ID: "b"}}); err != nil {
		t.Error(err)
	}
}
