package approval

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shared makes stores, and others on the same storage as another process would.
func shared(t *testing.T, each func(t *testing.T, v, otherVault Vault, p, otherPlaces Places)) {
	for name, open := range map[string]func() func() (Vault, Places){
		"in files": func() func() (Vault, Places) {
			disk := vfs.NewMem()
			return func() (Vault, Places) { return Files(disk, "/home/permissions.json") }
		},
		"in memory": func() func() (Vault, Places) {
			v, p := InMemory()
			return func() (Vault, Places) { return v, p }
		},
	} {
		t.Run(name, func(t *testing.T) {
			again := open()
			v, p := again()
			v2, p2 := again()
			each(t, v, v2, p, p2)
		})
	}
}

func TestAVaultKeepsItsPromises(t *testing.T) {
	shared(t, func(t *testing.T, v, other Vault, _, _ Places) {
		ctx := t.Context()
		keys := make([][]byte, 8)
		var wg sync.WaitGroup
		for i := range keys {
			wg.Go(func() { keys[i], _ = []Vault{v, other}[i%2].Key(ctx) })
		}
		wg.Wait()
		for _, key := range keys {
			if len(key) != keyBytes || !bytes.Equal(key, keys[0]) {
				t.Fatalf("the keys %x, want one of %d bytes", keys, keyBytes)
			}
		}
		want := func(from Vault, id, text string) {
			t.Helper()
			if got, err := from.Session(ctx, id); string(got) != text || (got == nil) != (text == "") || err != nil {
				t.Errorf("Session(%q) = %q, %v; want %q", id, got, err, text)
			}
		}
		want(v, "s1", "")
		for _, id := range []string{"s1", "../s 2", "ß/\x00"} {
			if err := errors.Join(v.Put(ctx, id, []byte("of "+id)), v.Put(ctx, id, []byte("now of "+id))); err != nil {
				t.Fatal(err)
			}
			want(other, id, "now of "+id)
		}
		if err := errors.Join(other.Delete(ctx, "s1"), other.Delete(ctx, "s1")); err != nil {
			t.Error(err)
		}
		want(v, "s1", "")
		want(v, "../s 2", "now of ../s 2")
	})
}

func TestPlacesKeepTheirPromises(t *testing.T) {
	shared(t, func(t *testing.T, _, _ Vault, p, other Places) {
		ctx := t.Context()
		if now, err := p.Read(ctx); now != nil || err != nil {
			t.Errorf("Read() = %q, %v before anything was stored", now, err)
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				err := []Places{p, other}[i%2].Change(ctx, func(now []byte) ([]byte, error) { return append(now, 'x'), nil })
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		no := errors.New("no")
		if err := p.Change(ctx, func([]byte) ([]byte, error) { return []byte("y"), no }); err != no {
			t.Errorf("Change = %v, want the error of its function", err)
		}
		if now, err := other.Read(ctx); len(now) != 20 || err != nil {
			t.Errorf("after 20 changes there is %q, %v: some were lost", now, err)
		}
	})
}

// A session that moves between machines of a cluster is one of both: they share the vault.
// What was approved for a folder of one machine does not hold on the other.
func TestASessionThatMovesIsNotForeign(t *testing.T) {
	vault, _ := InMemory()
	_, placesA := InMemory()
	_, placesB := InMemory()
	a, b := NewGrants(vault, placesA), NewGrants(vault, placesB)
	id, err := a.StartID("s1", "t0", "/w")
	if err != nil {
		t.Fatal(err)
	}
	o := state.Origin{ID: id, Started: "t0", Cwd: "/w"}
	if !b.Own("s1", o) {
		t.Error("the session is foreign on the other machine")
	}
	rules := []wire.PermissionRule{{Kind: "write"}}
	if err := a.put(&sessionGrants{Session: "s1", Rules: rules}); err != nil {
		t.Fatal(err)
	}
	if s, err := b.session("s1"); err != nil || s == nil || len(s.Rules) != 1 {
		t.Errorf("the other machine has the grants %+v, %v", s, err)
	}
	sealA, _ := a.Seal("x")
	if sealB, err := b.Seal("x"); sealB != sealA || err != nil {
		t.Errorf("Seal() = %q and %q, %v", sealA, sealB, err)
	}
	if err := a.change(func(f *grantsFile) { f.at("/w").add(rules) }); err != nil {
		t.Fatal(err)
	}
	if f, err := b.read(); err != nil || len(f.Locations) != 0 {
		t.Errorf("the other machine has the approvals %+v, %v", f, err)
	}
	if err := b.Disown("s1"); err != nil || a.Own("s1", o) {
		t.Errorf("Disown = %v, and the session is not foreign everywhere", err)
	}
}

// failingVault fails each call, as a store in a network may.
type failingVault struct {
	Vault
	err error
}

func (f failingVault) Key(context.Context) ([]byte, error)             { return nil, f.err }
func (f failingVault) Session(context.Context, string) ([]byte, error) { return nil, f.err }

// What a vault cannot tell is not granted.
func TestAVaultThatFailsGrantsNothing(t *testing.T) {
	vault, places := InMemory()
	working := NewGrants(vault, places)
	id, err := working.StartID("s1", "t0", "/w")
	if err != nil {
		t.Fatal(err)
	}
	o := state.Origin{ID: id, Started: "t0", Cwd: "/w"}
	down := errors.New("down")
	g := NewGrants(failingVault{vault, down}, places)
	if g.Own("s1", o) || g.WorkedIn("s1", o, "/w") {
		t.Error("a session counts as our own while nobody can tell")
	}
	if _, err := g.StartID("s2", "t0", "/w"); !errors.Is(err, down) {
		t.Errorf("StartID() = %v", err)
	}
	if !working.Own("s1", o) {
		t.Error("a failure was remembered")
	}
}
