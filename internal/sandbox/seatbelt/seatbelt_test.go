package seatbelt_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox/seatbelt"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
)

var command = []string{"/bin/bash", "-c", "echo $HOME"}

func TestProfiles(t *testing.T) {
	for _, tc := range []struct {
		name    string
		profile seatbelt.Profile
	}{
		{"read-only", seatbelt.Profile{
			Read: []string{"/Users/me/project", "/opt/homebrew"}, Write: []string{"/var/folders/x/tmp"},
			Deny: []string{"/Users/me/project/.env"},
		}},
		{"workspace-write", seatbelt.Profile{
			Read: []string{"/opt/homebrew"}, Write: []string{"/Users/me/project", "/tmp"},
			Protect: []string{"/Users/me/project/.git", "/Users/me/project/b/.vscode"},
			Deny:    []string{"/Users/me/project/.env", "/Users/me/project/a/keys"},
		}},
		{"nothing", seatbelt.Profile{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args, err := seatbelt.Args(tc.profile, command)
			if err != nil {
				t.Fatal(err)
			}
			base, err := os.ReadFile("base.sbpl")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Replace(strings.Join(args, "\n"), string(base), "(base.sbpl)\n", 1) + "\n"
			golden.Text(t, tc.name, got)
		})
	}
}

func TestProfilesThatCannotBe(t *testing.T) {
	for _, tc := range []struct {
		name    string
		profile seatbelt.Profile
		argv    []string
	}{
		{"relative", seatbelt.Profile{Read: []string{"project"}}, command},
		{"empty", seatbelt.Profile{Write: []string{""}}, command},
		{"not clean", seatbelt.Profile{Deny: []string{"/a/../b"}}, command},
		{"a zero byte", seatbelt.Profile{Read: []string{"/a\x00b"}}, command},
		{"no command", seatbelt.Profile{}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if args, err := seatbelt.Args(tc.profile, tc.argv); fault.KindOf(err) != fault.Invalid {
				t.Errorf("Args() = %q, %v", args, err)
			}
		})
	}
}

// Whatever a folder is called, the text of the profile is that of a harmless name, and the
// name arrives as one argument.
func FuzzPath(f *testing.F) {
	f.Add(`/") (allow default) ("`)
	f.Add("/a\n(allow default)")
	f.Add(`/\") (allow default)`)
	f.Add("/-p")
	f.Add("/=READ_1=/")
	f.Add("/ü ; #|")
	f.Fuzz(func(t *testing.T, path string) {
		got, err := seatbelt.Args(seatbelt.Profile{Read: []string{path}, Deny: []string{path}}, command)
		if err != nil {
			return
		}
		harmless := strings.Repeat("/a", strings.Count(strings.TrimSuffix(path, "/"), "/"))
		for _, link := range []string{"/tmp", "/var", "/etc"} {
			if path == link || strings.HasPrefix(path, link+"/") {
				harmless += "/a"
			}
		}
		if harmless == "" {
			harmless = "/"
		}
		want, err := seatbelt.Args(seatbelt.Profile{Read: []string{harmless}, Deny: []string{harmless}}, command)
		if err != nil {
			t.Fatal(err)
		}
		if got[1] != want[1] {
			t.Errorf("the name %q changes the profile:\n%s", path, cmp.Diff(want[1], got[1]))
		}
		if len(got) != len(want) || !strings.HasPrefix(got[2], "-DREAD_0=/") || !strings.HasSuffix(got[2], path) {
			t.Errorf("the name %q has the arguments %q", path, got[2:])
		}
	})
}
