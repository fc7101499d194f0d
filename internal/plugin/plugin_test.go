package plugin_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func disk(t *testing.T, files map[string]string) *vfs.Mem {
	t.Helper()
	d := vfs.NewMem()
	for name, text := range files {
		if err := d.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(d, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

const market = `{"name":"shop","plugins":[
	{"name":"good","source":"./plugins/good","description":"It is good.","version":"1.0.0"},
	{"name":"away","source":{"source":"github","repo":"a/b"}},
	{"name":"up","source":"../elsewhere"},
	{"name":"gone","source":"./gone"}]}`

func shop(t *testing.T) (*vfs.Mem, *plugin.Store) {
	t.Helper()
	d := disk(t, map[string]string{
		"/shop/.claude-plugin/marketplace.json":  market,
		"/shop/plugins/good/skills/one/SKILL.md": "---\nname: one\n---\n",
		"/shop/plugins/good/skills/two/SKILL.md": "---\nname: two\n---\n",
		"/shop/plugins/good/.lsp.json":           "{}",
		"/elsewhere/SKILL.md":                    "x",
		"/direct/plugin.json":                    `{"name":"direct","version":"2","skills":["more","../elsewhere","/elsewhere"]}`,
		"/direct/more/three/SKILL.md":            "x",
		"/broken/plugin.json":                    `{`,
		"/empty/README.md":                       "",
	})
	s := plugin.NewStore(d, "/home", "/work")
	if name, err := s.AddMarketplace(t.Context(), "/shop", ""); name != "shop" || err != nil {
		t.Fatalf("AddMarketplace = %q, %v", name, err)
	}
	return d, s
}

// A plugin is installed from the folder where it is, and what is not on this machine, or out of
// the marketplace, is refused with the reason.
func TestInstall(t *testing.T) {
	_, s := shop(t)
	for _, tc := range []struct {
		source, from string
		want         plugin.Plugin
		why          string
	}{
		{"good@shop", "", plugin.Plugin{Name: "good", Marketplace: "shop", Version: "1.0.0", Dir: "/shop/plugins/good", Enabled: true}, ""},
		{"../direct", "/work", plugin.Plugin{Name: "direct", Version: "2", Dir: "/direct", Enabled: true}, ""},
		{"away@shop", "", plugin.Plugin{}, "are not fetched here"},
		{"up@shop", "", plugin.Plugin{}, "not a folder of its marketplace"},
		{"gone@shop", "", plugin.Plugin{}, "does not exist"},
		{"none@shop", "", plugin.Plugin{}, `the marketplace "shop" has no plugin "none"`},
		{"good@none", "", plugin.Plugin{}, `there is no marketplace "none"`},
		{"owner/repo", "", plugin.Plugin{}, "are not fetched here"},
		{"https://example.test/x.git", "", plugin.Plugin{}, "are not fetched here"},
		{"/broken", "", plugin.Plugin{}, "plugin.json"},
		{"/empty", "", plugin.Plugin{}, "no other part of a plugin"},
		{"/direct/plugin.json", "", plugin.Plugin{}, "is not a folder"},
	} {
		got, err := s.Install(t.Context(), tc.source, tc.from)
		if tc.why != "" {
			if err == nil || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("Install(%s): %v, want %q", tc.source, err, tc.why)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("Install(%s): %v (-want +got):\n%s", tc.source, err, diff)
		}
	}
	list, err := s.List()
	if len(list) != 2 || err != nil {
		t.Errorf("List = %v, %v", list, err)
	}
}

func TestWhatIsInAPlugin(t *testing.T) {
	d, s := shop(t)
	good := plugin.Plugin{Dir: "/shop/plugins/good"}
	if n := s.Skills(good); n != 2 {
		t.Errorf("%d skills, want 2", n)
	}
	if diff := cmp.Diff([]string{"language servers"}, s.Unused(good)); diff != "" {
		t.Errorf("Unused (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/direct/more"}, plugin.SkillFolders(d, "/direct")); diff != "" {
		t.Errorf("SkillFolders (-want +got):\n%s", diff)
	}
}

// The list survives the process, and two stores on one folder see each other's changes.
func TestTheListIsShared(t *testing.T) {
	ctx := context.Background()
	d, s := shop(t)
	other := plugin.NewStore(d, "/home", "/work")
	for _, source := range []string{"good@shop", "/direct"} {
		if _, err := s.Install(ctx, source, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.SetEnabled(ctx, []string{"good", "direct", "none"}, false); err != nil {
		t.Fatal(err)
	}
	active, err := s.Active(true)
	if len(active) != 1 || active[0].Name != "direct" || err != nil { // it has no marketplace, and is always on
		t.Errorf("Active = %v, %v", active, err)
	}
	if dependent, err := other.RemoveMarketplace(ctx, "shop", false); err != nil || len(dependent) != 1 {
		t.Errorf("RemoveMarketplace = %v, %v, want that good depends on it", dependent, err)
	}
	if dependent, err := other.RemoveMarketplace(ctx, "shop", true); err != nil || dependent != nil {
		t.Errorf("RemoveMarketplace with force = %v, %v", dependent, err)
	}
	if list, _ := s.List(); len(list) != 1 {
		t.Errorf("List = %v, want that good went with its marketplace", list)
	}
	if err := s.Uninstall(ctx, "direct", "another"); err == nil || fault.KindOf(err) != fault.NotFound {
		t.Errorf("Uninstall of another source: %v, want not found", err)
	}
	if err := s.Uninstall(ctx, "direct", active[0].DirectID()); err != nil {
		t.Error(err)
	}
	if err := s.Uninstall(ctx, "direct", ""); err == nil || fault.KindOf(err) != fault.NotFound {
		t.Errorf("Uninstall again: %v, want not found", err)
	}
}

func TestUpdateReadsTheVersionAnew(t *testing.T) {
	d, s := shop(t)
	if _, err := s.Install(t.Context(), "/direct", ""); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(d, "/direct/plugin.json", []byte(`{"name":"direct","version":"3"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	now, before, err := s.Update(t.Context(), "direct")
	if now.Version != "3" || before != "2" || err != nil {
		t.Errorf("Update = %q after %q, %v", now.Version, before, err)
	}
	if list, _ := s.List(); list[0].Version != "3" {
		t.Errorf("List = %v", list)
	}
}

// Plugins that a host sets last as long as the process, and are refused as a whole if one is wrong.
func TestPluginsOfHosts(t *testing.T) {
	_, s := shop(t)
	if err := s.SetBuiltin([]string{"/direct"}); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{{"direct"}, {"/direct", "/none"}} {
		if err := s.SetBuiltin(paths); err == nil {
			t.Errorf("SetBuiltin(%v) is accepted", paths)
		}
	}
	if err := s.SetAdditional([]plugin.Plugin{{Name: "x", Dir: "/none"}}); err == nil {
		t.Error("an additional plugin without a folder is accepted")
	}
	if err := s.SetAdditional([]plugin.Plugin{{Name: "x", Dir: "/elsewhere", Enabled: true}, {Name: "y", Dir: "/elsewhere"}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	list, err := s.Active(false)
	for _, p := range list {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"direct", "x"}, names); diff != "" || err != nil {
		t.Errorf("Active: %v (-want +got):\n%s", err, diff)
	}
	explicit, errs := s.Explicit([]string{"../direct", "none"}, "/work")
	if len(explicit) != 1 || len(errs) != 1 {
		t.Errorf("Explicit = %v, %v", explicit, errs)
	}
}

func TestADamagedListIsNotReplaced(t *testing.T) {
	d, s := shop(t)
	for _, text := range []string{"{", "null", `{"version":2}`} {
		if err := vfs.WriteFileAtomic(d, "/home/plugins.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), "/direct", ""); err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("with %s: %v, want invalid", text, err)
		}
		if got, err := d.ReadFile("/home/plugins.json"); string(got) != text || err != nil {
			t.Errorf("the file is %q, %v; want %q", got, err, text)
		}
	}
}
