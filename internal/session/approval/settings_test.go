package approval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Each setting of a client, and each approval in the log, decides the requests that it is
// about, and no other.
func TestSettingsDecideTheRequestsThatTheyAreAbout(t *testing.T) {
	yes := true
	for name, tc := range map[string]struct {
		set     func(p *policy, now *state.State)
		allowed []string // requests; all others need the user
	}{
		"nothing": {func(*policy, *state.State) {}, nil},
		"reads": {func(p *policy, _ *state.State) {
			p.configure(wire.PermissionsPatch{ApproveAllReadPermissionRequests: &yes}, nil)
		}, []string{"read"}},
		"reads and a further folder": {func(p *policy, _ *state.State) {
			p.configure(wire.PermissionsPatch{ApproveAllReadPermissionRequests: &yes}, &resolvedFolders{further: []string{"/etc"}})
		}, []string{"read", "read outside"}},
		"reads in another primary folder": {func(p *policy, _ *state.State) {
			p.configure(wire.PermissionsPatch{ApproveAllReadPermissionRequests: &yes}, nil)
			p.setPrimary("/etc")
		}, []string{"read outside"}},
		"addresses": {func(p *policy, _ *state.State) { p.allowURLs(true) }, []string{"url", "plain url"}},
		"approved in the log": {func(p *policy, now *state.State) {
			now.Approved, p.vouched.now.Rules = custom("deploy"), permit.ToWire(custom("deploy"))
		}, []string{"custom"}},
		"approved only in the log": {func(_ *policy, now *state.State) { now.Approved = custom("deploy") }, nil},
		"the allowed tools of a skill": {func(p *policy, now *state.State) {
			now.SkillRules = map[string][]permit.Rule{"s": custom("deploy")}
			p.vouched.now.Skills = map[string][]string{"s": {"deploy"}}
		}, []string{"custom"}},
		"the allowed tools of another skill": {func(p *policy, now *state.State) {
			now.SkillRules = map[string][]permit.Rule{"s": custom("deploy")}
			p.vouched.now.Skills = map[string][]string{"t": {"deploy"}}
		}, nil},
		"allow-all only in the log": {func(p *policy, now *state.State) {
			now.PermissionMode, p.allowAll = wire.ModeAllowAll, false
		}, nil},
		"reads in a folder that only the log names": {func(p *policy, _ *state.State) {
			p.configure(wire.PermissionsPatch{ApproveAllReadPermissionRequests: &yes}, nil)
			p.vouched.now.Folders = nil
		}, nil},
		"approved at a location": {func(p *policy, _ *state.State) { p.addLocationRules(custom("deploy")) }, []string{"custom"}},
		"another location": {func(p *policy, _ *state.State) {
			p.addLocationRules(custom("deploy"))
			p.applyLocation("/other", location{})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			now := &state.State{}
			p := alone(now)
			tc.set(p, now)
			want := map[string]bool{}
			for _, request := range tc.allowed {
				want[request] = true
			}
			for request, q := range requests() {
				decided, why := p.decide(known(q), &q)
				if allowed := decided != nil && decided.Outcome == permit.Approved; allowed != want[request] {
					t.Errorf("%s is allowed: %v (%s), want %v", request, allowed, why.Why, want[request])
				}
			}
		})
	}
}

func custom(tool string) []permit.Rule {
	return []permit.Rule{{Kind: permit.CustomTool, Argument: tool}}
}

func TestAnAddressThatIsAllowedForAlwaysNeedsNoApproval(t *testing.T) {
	q := permit.Request{Kind: permit.URL, Address: "https://always.example/x"}
	if decided, why := alone(&state.State{}).decide(known(q), &q); decided == nil || decided.Outcome != permit.Approved {
		t.Errorf("%s needs the user: %s", q.Address, why.Why)
	}
}

// The mode allow-all allows everything that no rule denies. The mode of the program stays in
// force, whichever mode the log has.
func TestTheModeAllowAll(t *testing.T) {
	now := &state.State{}
	p := alone(now)
	p.client.Deny = custom("deploy")
	now.PermissionMode = wire.ModeAllowAll
	for name, want := range map[string]permit.Outcome{"write": permit.Approved, "outside": permit.Approved, "custom": permit.Forbidden} {
		q := requests()[name]
		if decided, why := p.decide(known(q), &q); decided == nil || decided.Outcome != want {
			t.Errorf("%s: %+v (%s), want %v", name, decided, why.Why, want)
		}
	}
	now.PermissionMode = ""
	if p.mode() != wire.ModeManual {
		t.Errorf("the mode is %q, want manual", p.mode())
	}
	if p.program.All = true; p.mode() != wire.ModeAllowAll {
		t.Errorf("the mode is %q in a program that allows all", p.mode())
	}
}

// A mode that is refused comes with the reason, and the mode in force.
func TestWhyAModeIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		program permit.Rules
		managed permit.Managed
		mode    wire.PermissionMode
		now     wire.PermissionMode
		why     string
	}{
		"managed": {permit.Rules{}, permit.Managed{NoBypass: true}, wire.ModeAllowAll, wire.ModeManual, "managed settings"},
		"flag":    {permit.Rules{All: true}, permit.Managed{}, wire.ModeManual, wire.ModeAllowAll, "everything allowed: --yolo"},
		"file":    {permit.Rules{All: true, AllBy: "file /c.jsonc:1"}, permit.Managed{}, wire.ModeAssisted, wire.ModeAllowAll, "everything allowed: file /c.jsonc:1"},
		"set":     {permit.Rules{}, permit.Managed{}, wire.ModeAllowAll, wire.ModeAllowAll, ""},
	} {
		p := bare()
		p.Permissions.policy.program = &tc.program
		p.Manage(tc.managed)
		now, err := p.SetMode(t.Context(), tc.mode)
		if now != tc.now || (err == nil) != (tc.why == "") {
			t.Errorf("%s: %q, %v", name, now, err)
		}
		if err != nil && (fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), tc.why)) {
			t.Errorf("%s: %v, want %q", name, err, tc.why)
		}
	}
}

// A change that changes nothing is not recorded.
func TestOnlyChangesAreRecorded(t *testing.T) {
	now := &state.State{}
	now.Approved = custom("deploy")
	p := alone(now)
	all := true
	for name, tc := range map[string]struct {
		event wire.Data
		want  string // "" for no event
	}{
		"same mode":          {p.changeMode(wire.ModeManual), ""},
		"other mode":         {p.changeMode(wire.ModeAllowAll), `{"mode":"allow-all","previousMode":"manual"}`},
		"same approvals":     {p.replaceApprovals(custom("deploy")), ""},
		"no approvals":       {p.replaceApprovals(nil), `{"previousMode":"manual","mode":"manual","approvals":[]}`},
		"rules only":         {p.replaceApprovals(p.modify(wire.PermissionRulesPatch{Add: []wire.PermissionRule{{Kind: "write"}}})), ""},
		"rules and approval": {p.replaceApprovals(p.modify(wire.PermissionRulesPatch{RemoveAll: &all})), `{"previousMode":"manual","mode":"manual","approvals":[]}`},
	} {
		got := ""
		if tc.event != nil {
			data, err := wire.Marshal(tc.event)
			if err != nil {
				t.Fatal(err)
			}
			got = string(data)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALocationIsAppliedWithItsRulesAndFolders(t *testing.T) {
	p := alone(&state.State{})
	stored := location{Rules: []wire.PermissionRule{{Kind: "write"}}, Folders: []string{"/more"}}
	if !p.applyLocation("/w", stored) || p.applyLocation("/w", stored) {
		t.Error("the first time changes the location, the second does not")
	}
	if got := p.allFolders(disk{cwd: "/w", primary: "/w"}); !cmp.Equal(got.All(), []string{"/w", "/more"}) {
		t.Errorf("the folders are %q", got.All())
	}
	p.setLocationRules(nil)
	if q := requests()["write"]; len(p.inForce(known(q), &q).Allow) != 0 {
		t.Errorf("%v is still in force", p.inForce(known(q), &q).Allow)
	}
}

// Only the user confirms a personal request, so an approval of it covers one call.
func TestAnApprovalOfAPersonalRequestCoversOneCall(t *testing.T) {
	q := requests()["custom"]
	q.Personal = true
	a := alone(&state.State{}).complete(known(q), &q, permit.Answer{Outcome: permit.Approved, Scope: permit.Always, Rules: custom("deploy")})
	if a.Scope != permit.Once || a.Rules != nil {
		t.Errorf("the answer is %+v, want an approval of one call", a)
	}
}
