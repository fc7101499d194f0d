package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A list from the catalogue is the list that reading every log gives, whatever
// was done to the sessions before: by this process, whose rows are all there is
// while looking takes too long, and by others, whom a look finds.
func TestTheCatalogueSaysWhatTheLogsSay(t *testing.T) {
	for _, others := range []bool{false, true} {
		for seed := range uint64(10) {
			t.Run(fmt.Sprintf("others %v, seed %d", others, seed), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "catalog.db")
				synctest.Test(t, func(t *testing.T) {
					h := &historian{t: t, fs: vfs.NewMem(), path: path, others: others, dice: rand.New(rand.NewPCG(seed, 1))}
					h.model = modeltest.NewServer(modeltest.Reply{Text: "well", Delay: 20 * time.Millisecond, Repeat: true})
					h.open()
					for range 60 {
						h.step()
						h.check()
					}
					h.close()
					h.model.Close()
				})
			})
		}
	}
}

// A catalogue that cannot be used costs time, and nothing else.
func TestWithoutACatalogueTheLogsAreListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no such folder", "catalog.db")
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Catalog: catalog.Options{Path: path}})
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		d.create(wire.Config{SessionID: "silent"})
		list, more, err := d.reg.Newest(context.Background(), 1)
		if err != nil || len(list) != 1 || more != 0 || list[0].Summary != "hi" || list[0].Bytes < 500 {
			t.Errorf("Newest = %+v, %d, %v", list, more, err)
		}
		for id, want := range map[string]bool{"s1": true, "silent": true, "nobody": false, "../x": false} {
			m, err := d.reg.Metadata(context.Background(), id)
			if err != nil || (m != nil) != want || m != nil && m.ModifiedTime < "2000" {
				t.Errorf("Metadata(%q) = %+v, %v", id, m, err)
			}
		}
	}, modeltest.Reply{Text: "hello"})
}

// A session that another process removed is not listed, for every content of its row.
func TestMetadataOfARemovedFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Catalog: catalog.Options{Path: path}})
		d.create(wire.Config{SessionID: "s1"})
		if m, err := d.reg.Metadata(context.Background(), "s1"); m == nil || err != nil {
			t.Errorf("Metadata = %v, %v", m, err)
		}
		if err := d.fs.RemoveAll("/home/session-state/s1"); err != nil {
			t.Fatal(err)
		}
		if m, err := d.reg.Metadata(context.Background(), "s1"); m != nil || err != nil {
			t.Errorf("after the removal Metadata = %+v, %v", m, err)
		}
	})
}

// mined is a store in which reading one session panics.
type mined struct{ *files.Store }

func (m mined) Scan(ctx context.Context, id string) iter.Seq2[eventlog.Record, error] {
	if id == "mine" {
		panic("boom")
	}
	return m.Store.Scan(ctx, id)
}

func TestALogThatCannotBeDescribedHidesNoOther(t *testing.T) {
	store, err := files.Open(files.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "mine", "z"} {
		s, err := store.Create(t.Context(), id)
		w := logtest.Write(t, s, err)
		if err := errors.Join(w.Append(0, [][]byte{[]byte(`{"type":"user.message","data":{"content":"hi"}}`)}, false), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, path := range map[string]string{"read": "", "from the catalogue": filepath.Join(t.TempDir(), "catalog.db")} {
		reg := registry.New(registry.Options{Store: mined{store}, Catalog: catalog.Options{Path: path}})
		list, _, err := reg.Newest(t.Context(), 0)
		if err != nil || len(list) != 2 {
			t.Errorf("%s: Newest = %+v, %v", name, list, err)
		}
		if err := reg.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A list that no caller waits for any more is given up.
func TestAListEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	for _, opts := range []registry.Options{{}, {Catalog: catalog.Options{Path: path}}} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			d.stop()
			d.start(opts)
			d.create(wire.Config{SessionID: "s1"})
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := d.reg.List(ctx, wire.SessionContext{}); !errors.Is(err, context.Canceled) {
				t.Errorf("List = %v", err)
			}
		})
	}
}

// The title is that of the first message with words in it.
func TestAMessageWithoutWordsIsNoTitle(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		for _, p := range []wire.Send{{Attachments: json.RawMessage(`[{}]`)}, {Prompt: "What is this?"}, {Prompt: "And that?"}} {
			if _, err := s.s.Send(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			s.until("session.idle")
		}
		if m, err := d.reg.Metadata(context.Background(), "s1"); err != nil || m.Summary != "What is this?" {
			t.Errorf("Metadata = %+v, %v", m, err)
		}
	}, modeltest.Reply{Text: "hello", Repeat: true})
}

// historian makes a random history and checks the lists on the way.
type historian struct {
	t      *testing.T
	fs     vfs.FS
	path   string
	others bool // other runtimes work on the same logs
	dice   *rand.Rand
	model  *modeltest.Server
	reg    *registry.Registry // with the catalogue
	bare   *registry.Registry // without
	seats  map[string]*session.Client
	past   string // for the message of a failure
}

// shelves is a store whose sessions take their time to be listed.
type shelves struct {
	*files.Store
	slow time.Duration
}

func (s *shelves) Sessions(ctx context.Context) ([]eventlog.Info, error) {
	defer time.Sleep(s.slow) // fake
	return s.Store.Sessions(ctx)
}

// open is the start of a process.
func (h *historian) open() {
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: h.fs})
	if err != nil {
		h.t.Fatal(err)
	}
	s := &shelves{Store: store}
	opts := registry.Options{
		Store: s, Version: "test", Cwd: "/work", FS: h.fs, Model: model.New(model.Options{Transport: h.model.Transport()}, chat.New(), extensions.New(nil)),
		Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
	}
	opts.Catalog.Path = h.path
	h.reg = registry.New(opts)
	opts.Store, opts.Catalog = store, catalog.Options{}
	h.bare = registry.New(opts)
	h.seats = map[string]*session.Client{}
	if h.past == "" {
		h.check() // so that the catalogue of nothing is complete
	}
	if !h.others {
		s.slow = time.Hour
	}
}

func (h *historian) close() {
	for _, r := range []*registry.Registry{h.reg, h.bare} {
		if err := r.Close(context.Background()); err != nil {
			h.t.Error(err)
		}
	}
}

// step does one thing to one session, and waits until it is done.
func (h *historian) step() {
	id := fmt.Sprint("s", h.dice.IntN(6))
	time.Sleep(time.Duration(h.dice.IntN(3000)) * time.Millisecond) // fake
	doings := []func(id string) string{h.enter, h.enter, h.send, h.send, h.remark, h.leave, h.remove, h.restart}
	if h.others {
		doings = append(doings, h.foreign, h.foreign, h.foreignRemove)
	}
	h.past += doings[h.dice.IntN(len(doings))](id) + " " + id + "\n"
	time.Sleep(time.Second) // until the model has answered
	synctest.Wait()
}

func (h *historian) enter(id string) string {
	cfg := wire.Config{SessionID: id, WorkingDirectory: []string{"", "/a", "/b"}[h.dice.IntN(3)]}
	c, err := h.reg.Resume(context.Background(), cfg, nil, h.seats[id])
	if err != nil {
		c, err = h.reg.Create(context.Background(), cfg, nil)
	}
	if err != nil {
		h.t.Fatalf("after\n%s: %v", h.past, err)
	}
	h.seats[id] = c
	return "enter " + cfg.WorkingDirectory
}

func (h *historian) send(id string) string {
	p := wire.Send{Prompt: fmt.Sprint("message ", h.dice.IntN(100))}
	if h.dice.IntN(3) == 0 {
		p = wire.Send{Attachments: json.RawMessage(`[{"type":"file"}]`)} // without a word
	}
	if c := h.seats[id]; c != nil {
		_, _ = c.Session().Send(context.Background(), p) // or its log was taken away
	}
	return "say " + p.Prompt
}

func (h *historian) remark(id string) string {
	if c := h.seats[id]; c != nil {
		_, _ = c.Session().Log(context.Background(), wire.LogEntry{Message: "noted"})
	}
	return "remark"
}

func (h *historian) leave(id string) string {
	if c := h.seats[id]; c != nil {
		_ = c.Detach(context.Background())
		delete(h.seats, id)
	}
	return "leave"
}

func (h *historian) remove(id string) string {
	_ = h.reg.Delete(context.Background(), id)
	delete(h.seats, id)
	return "remove"
}

func (h *historian) restart(string) string {
	h.close()
	h.open()
	return "restart"
}

// foreign is what another runtime does to a session that is not open here.
func (h *historian) foreign(id string) string {
	if h.seats[id] != nil {
		return "nothing"
	}
	dir := "/home/session-state/" + id
	err := h.fs.MkdirAll(dir, 0o700)
	f, ferr := h.fs.OpenFile(dir+"/events.jsonl", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil || ferr != nil {
		h.t.Fatal(err, ferr)
	}
	defer f.Close()
	line := []string{
		`{"type":"session.start","timestamp":"2026-01-02T03:04:05Z","data":{"context":{"cwd":"/b","gitRoot":"/b","repository":"o/n","branch":"main"}}}`,
		`{"type":"user.message","data":{"content":"from elsewhere"}}`, `{"type":"user.message","data":{"content":" "}}`, `no event`,
	}[h.dice.IntN(4)]
	if _, err := f.Write([]byte(line + "\n")); err != nil {
		h.t.Fatal(err)
	}
	return "foreign " + line
}

func (h *historian) foreignRemove(id string) string {
	if h.seats[id] != nil {
		return "nothing"
	}
	if err := h.fs.RemoveAll("/home/session-state/" + id); err != nil {
		h.t.Fatal(err)
	}
	return "foreign remove"
}

// check compares the two, whole and filtered, and one session.
func (h *historian) check() {
	h.t.Helper()
	for _, filter := range []wire.SessionContext{{}, {Cwd: "/a"}, {Cwd: "/b", Branch: "main"}, {Repository: "o/n", GitRoot: "/b"}} {
		got, err := h.reg.List(context.Background(), filter)
		want, werr := h.bare.List(context.Background(), filter)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || werr != nil {
			h.t.Fatalf("after\n%sList(%+v) = %v, %v:\n%s", h.past, filter, err, werr, diff)
		}
	}
	sized, more, err := h.reg.Newest(context.Background(), 3)
	all, none, werr := h.bare.Newest(context.Background(), 3)
	if diff := cmp.Diff(all, sized); diff != "" || more != none || err != nil || werr != nil {
		h.t.Fatalf("after\n%sNewest = %d more, want %d, %v, %v:\n%s", h.past, more, none, err, werr, diff)
	}
	id := fmt.Sprint("s", h.dice.IntN(6))
	got, err := h.reg.Metadata(context.Background(), id)
	want, werr := h.bare.Metadata(context.Background(), id)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || werr != nil {
		h.t.Fatalf("after\n%sMetadata(%s) = %v, %v:\n%s", h.past, id, err, werr, diff)
	}
}
