package permit_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

func TestManagedRules(t *testing.T) {
	for text, want := range map[string]string{
		"Shell(git push *)": "shell(git push:*)", "Shell(git *)": "shell(git:*)", "Shell(git push)": "shell(git push)", "shell(ls:*)": "shell(ls:*)",
		"Shell": "shell", "Shell(*)": "shell", "Read(**)": "read", "Write(src/**)": "write(src/**)", "READ( /etc/** )": "read(/etc/**)",
		"Url(example.com)": "url(example.com)", "wipe": "wipe",
	} {
		m, err := permit.ParseManaged(nil, nil, []string{text}, "")
		if err != nil || len(m.Allow) != 1 || m.Allow[0].String() != want || m.Allow[0].From == "" {
			t.Errorf("%q is %v, %v, want %s", text, m.Allow, err, want)
		}
	}
	for _, text := range []string{"", "Shell(", "Shell(git push", "Shell()", "Shell(git * main)", "Read(~/x)", "Teleport(mars)", "Read(a)b", "Shell(rm | sh)", "Shell(git push *", strings.Repeat("x", 5000)} {
		if m, err := permit.ParseManaged([]string{text}, nil, nil, ""); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%.40q is %v, %v, want an error", text, m.Deny, err)
		}
	}
	if m, err := permit.ParseManaged([]string{"Read(**/.env)"}, nil, nil, ""); err != nil || len(m.Deny) != 2 || m.Deny[1].Argument != "/**/.env" {
		t.Errorf("a deny rule for names everywhere is %v, %v", m.Deny, err)
	}
}

func TestManagedModes(t *testing.T) {
	for mode, want := range map[string]permit.Managed{
		"": {}, "disable": {NoBypass: true}, "allow-auto-only": {NoBypass: true}, "by-committee": {NoBypass: true, FailClosed: true},
	} {
		if m, err := permit.ParseManaged(nil, nil, nil, mode); err != nil || m.NoBypass != want.NoBypass || m.FailClosed != want.FailClosed {
			t.Errorf("the mode %q is %+v, %v", mode, m, err)
		}
	}
}

// A managed policy holds over everything that allows.
func TestUnderAManagedPolicy(t *testing.T) {
	m, err := permit.ParseManaged([]string{"Shell(git push *)", "Read(/secret/**)"}, []string{"Write(**)", "deploy", "Shell(curl *)", "Url(example.com)"}, []string{"Shell(ls *)"}, "disable")
	if err != nil {
		t.Fatal(err)
	}
	all := permit.Rules{All: true, AnyURL: true, Folders: permit.Folders{Primary: "/w", Anywhere: true}}
	trusted := custom("deploy")
	trusted.Trusted = true
	for _, tc := range []struct {
		name    string
		request permit.Request
		want    permit.Verdict
		managed bool
	}{
		{"denied", command("git push|git push origin"), permit.Deny, false},
		{"denied for reading", file(permit.Read, "/secret/x"), permit.Deny, false},
		{"asked", file(permit.Write, "/w/a"), permit.Ask, true},
		{"asked although its client trusts it", trusted, permit.Ask, true},
		{"asked as an address", fetch("https://example.com/a"), permit.Ask, true},
		{"asked where it is not clear what is denied", unclear, permit.Ask, false},
		{"what everything allowed", custom("x"), permit.Ask, false},
		{"any folder", file(permit.Read, "/etc/passwd"), permit.Ask, false},
		{"any address", fetch("https://other.example"), permit.Ask, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := all.Under(m).Decide(tc.request)
			if got.Verdict != tc.want || got.Managed != tc.managed || got.Managed && !got.Doubt || got.Why == "" {
				t.Errorf("%+v, want %v and managed %v", got, tc.want, tc.managed)
			}
		})
	}
	commands, err := permit.ParseManaged(nil, []string{"Shell(curl *)"}, []string{"Shell(ls *)"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]permit.Verdict{"curl|curl x": permit.Ask, "ls|ls -l": permit.Allow} {
		if got := (permit.Rules{}).Under(commands).Decide(command(text)); got.Verdict != want || got.Managed != (want == permit.Ask) {
			t.Errorf("%s: %+v, want %v", text, got, want)
		}
	}
	hidden := with(unclear, func(q *permit.Request) { q.Command.Hidden = true })
	if got := all.Under(commands).Decide(hidden); got.Verdict != permit.Ask || !got.Managed {
		t.Errorf("what an ask rule may cover: %+v", got)
	}
	if got := all.Decide(file(permit.Write, "/w/a")); got.Verdict != permit.Allow {
		t.Errorf("without the policy: %+v", got)
	}
}
