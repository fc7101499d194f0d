package approval

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const testFile = "/home/permissions.json"

// A session is one of this machine if its session.start event was made with the key of this
// home, for this session, and nobody has changed what it says.
func TestASessionBelongsToTheMachineThatMadeIt(t *testing.T) {
	disk := vfs.NewMem()
	here := OpenGrants(disk, testFile)
	id, err := here.StartID("s1", "t0", "/w")
	if err != nil {
		t.Fatal(err)
	}
	origin := state.Origin{ID: id, Started: "t0", Cwd: "/w"}
	for name, tc := range map[string]struct {
		grants  *Grants
		session string
		origin  state.Origin
		want    bool
	}{
		"the same":           {here, "s1", origin, true},
		"another process":    {OpenGrants(disk, testFile), "s1", origin, true},
		"another home":       {OpenGrants(vfs.NewMem(), testFile), "s1", origin, false},
		"another id":         {here, "s2", origin, false},
		"another folder":     {here, "s1", state.Origin{ID: id, Started: "t0", Cwd: "/"}, false},
		"another start":      {here, "s1", state.Origin{ID: id, Started: "t1", Cwd: "/w"}, false},
		"an id of others":    {here, "s1", state.Origin{ID: wire.NewID(), Started: "t0", Cwd: "/w"}, false},
		"no UUID":            {here, "s1", state.Origin{ID: "1", Started: "t0", Cwd: "/w"}, false},
		"no session.start":   {here, "s1", state.Origin{}, false},
		"nothing is on disk": {OpenGrants(vfs.NewMem(), ""), "s1", origin, false},
	} {
		if got := tc.grants.Own(tc.session, tc.origin); got != tc.want {
			t.Errorf("%s: own is %v, want %v", name, got, tc.want)
		}
	}
	if again, _ := here.StartID("s1", "t0", "/w"); again == id {
		t.Error("an id was used twice")
	}
	if err := here.Disown("s1"); err != nil || here.Own("s1", origin) {
		t.Errorf("Disown = %v; the session is one of this machine all the same", err)
	}
	if err := here.Forget("s1"); err != nil || !here.Own("s1", origin) {
		t.Errorf("Forget = %v, and the session is no longer one of this machine", err)
	}
}

// process opens the session of f as another process does, with what is on the disk.
func (f *fake) process(disk vfs.FS) (p tested, own bool) {
	p = f.open(disk)
	return p, p.Load()
}

// An approval for the session holds in the next process too. Once it was reset, it does not,
// whatever the log says. If the file is lost or damaged, the user is asked again, and
// told once.
func TestGrantsOfASessionAreKeptOnThisMachine(t *testing.T) {
	disk, ctx := vfs.NewMem(), t.Context()
	f := &fake{}
	id, err := OpenGrants(disk, testFile).StartID("s1", "t0", "/w")
	if err != nil {
		t.Fatal(err)
	}
	f.state.Cwd, f.state.Origin = "/w", state.Origin{ID: id, Started: "t0", Cwd: "/w"}
	p, own := f.process(disk)
	f.state.Approved = custom("deploy")
	p.vouched.allow(custom("deploy"), nil)
	f.running.Wait()
	allowed := func(p tested) bool { return len(p.Permissions.policy.approvals()) == 1 }
	if !own || !allowed(p) {
		t.Fatalf("own is %v, and the approval counts: %v", own, allowed(p))
	}
	if p, own = f.process(disk); !own || !allowed(p) {
		t.Errorf("in another process own is %v, and the approval counts: %v", own, allowed(p))
	}
	if err := OpenGrants(disk, testFile).Copy("s1", "s2"); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenGrants(disk, testFile).session("s2"); err != nil || len(s.Rules) != 1 || s.Session != "s2" {
		t.Errorf("the fork has %+v, %v", s, err)
	}
	if err := p.Reset(ctx, false); err != nil {
		t.Fatal(err)
	}
	f.state.Approved = custom("deploy") // somebody has removed the reset from the log
	if p, _ = f.process(disk); allowed(p) {
		t.Error("an approval counts that was reset")
	}
	p.vouched.allow(custom("deploy"), nil)
	f.running.Wait()
	if err := vfs.WriteFileAtomic(disk, p.vouched.grants.vault.Name("s1"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, own = f.process(disk); own || allowed(p) {
		t.Errorf("with a damaged file own is %v, and the approval counts: %v", own, allowed(p))
	}
	if err := p.Adopt(own); err != nil {
		t.Fatal(err)
	}
	f.running.Wait()
	if p, own = f.process(disk); !own {
		t.Error("the session was not adopted")
	}
	if err := p.Adopt(own); err != nil || len(f.of("session.warning")) != 1 || len(f.state.Approved) != 0 {
		t.Errorf("Adopt = %v after %d warnings; the log still grants %v", err, len(f.of("session.warning")), f.state.Approved)
	}
}

// Without a choice on this machine the folder of a log is none where tools may act, for files
// and for commands; rules that deny still hold there.
func TestAFolderThatOnlyTheLogNames(t *testing.T) {
	p := alone(&state.State{})
	p.vouched.now.Folders = nil
	p.client.Allow = []permit.Rule{{Kind: permit.Read}, {Kind: permit.Write, Argument: "*.go"}, {Kind: permit.Shell}}
	for _, name := range []string{"read", "write", "pipeline"} {
		q := requests()[name]
		if decided, _ := p.decide(known(q), &q); decided != nil {
			t.Errorf("%s is decided: %+v", name, decided)
		}
		d := known(q)
		d.started = "/"
		if decided, why := p.decide(d, &q); decided == nil || decided.Outcome != permit.Approved {
			t.Errorf("%s below the folder that the program was started in is asked about: %s", name, why.Why)
		}
	}
	p.client.Deny = []permit.Rule{{Kind: permit.Write, Argument: "a.go"}}
	q := requests()["write"]
	if decided, _ := p.decide(known(q), &q); decided == nil || decided.Outcome != permit.Forbidden {
		t.Errorf("a rule that denies a file there is decided as %+v", decided)
	}
}
