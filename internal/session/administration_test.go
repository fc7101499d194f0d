package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Pruning deletes old sessions, with their files, and none that is open, new, named by the
// user, or excluded.
func TestOldSessionsArePruned(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		for _, id := range []string{"old", "kept", "called", "open", "new"} {
			if id == "new" {
				time.Sleep(48 * time.Hour)
			}
			c, err := d.reg.Create(ctx, wire.Config{SessionID: id}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if id == "called" {
				err = c.Session().Settings().SetName(ctx, "Mine")
			}
			if err == nil && id != "open" {
				err = c.Detach(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sizes, err := d.reg.Sizes(ctx)
		if len(sizes) != 5 || sizes["old"] < 100 || err != nil {
			t.Errorf("Sizes = %v, %v", sizes, err)
		}
		dry := true
		p := wire.SessionsPrune{OlderThanDays: 1, ExcludeSessionIDs: []string{"kept"}, DryRun: &dry}
		got, err := d.reg.Prune(ctx, p)
		slices.Sort(got.Skipped)
		want := wire.SessionsPruned{Candidates: []string{"old"}, Deleted: []string{}, Skipped: []string{"called", "open"}, DryRun: true, FreedBytes: sizes["old"]}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("a dry run: %v (-want +got):\n%s", err, diff)
		}
		p.DryRun, p.IncludeNamed = nil, &dry
		got, err = d.reg.Prune(ctx, p)
		slices.Sort(got.Deleted)
		want = wire.SessionsPruned{Candidates: []string{}, Deleted: []string{"called", "old"}, Skipped: []string{"open"}, FreedBytes: sizes["old"] + sizes["called"]}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Prune: %v (-want +got):\n%s", err, diff)
		}
		freed, err := d.reg.DeleteAll(ctx, []string{"kept", "none"})
		if diff := cmp.Diff(map[string]int64{"kept": sizes["kept"]}, freed); diff != "" || err != nil {
			t.Errorf("DeleteAll: %v (-want +got):\n%s", err, diff)
		}
		if _, err := d.reg.Prune(ctx, wire.SessionsPrune{OlderThanDays: -1}); err == nil {
			t.Error("a negative age is accepted")
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A log that is not in the folder of its session counts beside that folder.
func TestTheSizeOfASessionWhoseLogIsElsewhere(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Workspaces: workspace.Disk{FS: d.fs, Dir: func(id string) string { return "/elsewhere/" + id }}})
		ctx, plan := context.Background(), strings.Repeat("x", 100_000)
		s := d.createWith(wire.Config{SessionID: "s1"}, nil)
		if err := s.s.Workspace().UpdatePlan(ctx, plan); err != nil {
			t.Fatal(err)
		}
		infos, err := d.reg.Stored(ctx)
		if err != nil || len(infos) != 1 || infos[0].Size == 0 {
			t.Fatalf("%+v, %v", infos, err)
		}
		sizes, err := d.reg.Sizes(ctx)
		if want := infos[0].Size + int64(len(plan)); sizes["s1"] < want || err != nil {
			t.Errorf("the size is %d, %v; want %d and a little", sizes["s1"], err, want)
		}
	})
}
