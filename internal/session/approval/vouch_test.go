package approval

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A log of another machine grants nothing: no approval, no tool of a skill, no agent as the model,
// no folder. The user is told each of them once. Afterwards the session is one of this machine,
// and these still do not count.
func TestALogOfAnotherMachineGrantsNothing(t *testing.T) {
	const agent = "extension:https://agent.example"
	disk := vfs.NewMem()
	f := &fake{}
	id, err := OpenGrants(vfs.NewMem(), testFile).StartID("s1", "t0", "/w")
	if err != nil {
		t.Fatal(err)
	}
	f.state.Cwd, f.state.Origin = "/w", state.Origin{ID: id, Started: "t0", Cwd: "/w"}
	f.state.Approved, f.state.Model = custom("deploy"), agent
	f.state.SkillRules = map[string][]permit.Rule{"release": custom("publish")}
	granted := func(p tested) bool {
		_, ok := p.ModelGranted(agent)
		return ok
	}
	counts := func(p tested) bool {
		return len(p.Permissions.policy.approvals()) > 0 || len(p.vouched.now.skillRules(f.state.SkillRules)) > 0 || granted(p) || slices.Contains(p.vouched.now.Folders, "/w")
	}
	p, own := f.process(disk)
	if own || counts(p) {
		t.Errorf("own is %v, and it is granted: %+v", own, p.vouched.now)
	}
	if err := p.Adopt(own); err != nil {
		t.Fatal(err)
	}
	f.running.Wait()
	warnings := f.of("session.warning")
	if len(warnings) != 1 {
		t.Fatalf("%d warnings", len(warnings))
	}
	text := wire.Raw(warnings[0].Data).Get("message").Text()
	for _, part := range []string{"deploy", "release", agent, "(/w)"} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in the warning: %s", part, text)
		}
	}
	p, own = f.process(disk)
	if !own || counts(p) {
		t.Errorf("after that own is %v, and it is granted: %+v", own, p.vouched.now)
	}
	if err := p.Adopt(own); err != nil || len(f.of("session.warning")) != 1 {
		t.Errorf("the user is told again, or %v", err)
	}
	p.GrantModel(agent)
	p.GrantFolder("/w")
	f.running.Wait()
	if p, _ = f.process(disk); !granted(p) || !slices.Contains(p.vouched.now.Folders, "/w") {
		t.Errorf("what was chosen here does not count: %+v", p.vouched.now)
	}
}

// Only what is in the log and granted by this machine counts: neither alone.
func TestAGrantCountsInBothPlaces(t *testing.T) {
	s := &sessionGrants{Rules: permit.ToWire(append(custom("a"), custom("b")...))}
	if got := s.approvals(append(custom("b"), custom("c")...)); len(got) != 1 || !got[0].Same(custom("b")[0]) {
		t.Errorf("%v", got)
	}
}

// A file of grants that belongs to another session, or that a newer program has written, is an
// error, and grants nothing.
func TestFilesOfGrantsThatDoNotFit(t *testing.T) {
	disk := vfs.NewMem()
	g := OpenGrants(disk, testFile)
	if err := g.Disown("s1"); err != nil { // makes the folder
		t.Fatal(err)
	}
	for text, fits := range map[string]bool{
		`{"version": 1, "session": "s1"}`:  true,
		`{"version": 1, "session": "s2"}`:  false,
		`{"version": 99, "session": "s1"}`: false,
	} {
		if err := vfs.WriteFileAtomic(disk, g.vault.Name("s1"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := g.session("s1"); (err == nil) != fits || (s != nil) != fits {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}
