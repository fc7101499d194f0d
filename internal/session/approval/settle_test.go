package approval

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// An answer for one call reads no files, resolves no links and reconsiders no other
// requests. An approval for the session does all of that.
func TestAnAnswerForOneCallReadsNoFilesAndReconsidersNothing(t *testing.T) {
	for _, tc := range []struct {
		answer permit.Answer
		disk   bool
		open   int
	}{
		{permit.Answer{Outcome: permit.Approved}, false, 1},
		{permit.Answer{Outcome: permit.Rejected}, false, 1},
		{permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			used := 0
			p := on(vfs.Fail(vfs.NewMem(), func(vfs.Op) error { used++; return nil }))
			paths := &p.requests.files.paths
			resolve := paths.Resolve
			paths.Resolve = func(path string) string { used++; return resolve(path) }
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for _, id := range []string{"c1", "c2"} {
				go p.Ask(ctx, requests()["custom"], tool.Call{ID: id})
				synctest.Wait()
			}
			p.Permissions.policy.client.Allow = custom("deploy") // so that reconsidering would end the second request
			used = 0
			id := wire.Raw(p.fake.of("permission.requested")[0].Data).Get("requestId").Text()
			if ok, err := p.Answer(t.Context(), id, tc.answer); !ok || err != nil {
				t.Fatalf("Answer = %v, %v", ok, err)
			}
			if open := len(p.fake.state.Permissions()); (used > 0) != tc.disk || open != tc.open {
				t.Errorf("%+v: the disk is used %d times and %d requests are left, want disk %v and %d", tc.answer, used, open, tc.disk, tc.open)
			}
		})
	}
}
