package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// parsed reads a file that must be right.
func parsed(t *testing.T, text string) File {
	t.Helper()
	f, err := ParseFile("/c.jsonc", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func project(t *testing.T, text string, trusted bool) File {
	t.Helper()
	f := parsed(t, text)
	f.Project, f.Trusted = true, trusted
	return f
}

func TestAFileThatIsWrongSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "/c.jsonc:1:1: want an object in braces",
		"{\n  \"model\": \"x\",\n  \"bell\": tru\n}": `/c.jsonc:3:14: it is not JSON: invalid character '\n' in literal true (expecting 'e')`,
		`{"model": 1}`:                  "/c.jsonc:1:11: model: want a text in quotes",
		`{"model": null}`:               "/c.jsonc:1:11: model: want a text in quotes",
		`{"model": ""}`:                 "/c.jsonc:1:11: model: a text is empty; remove it instead",
		`{"model": "a\u001bb"}`:         "/c.jsonc:1:11: model: a text has a control character",
		"{\n\t\"modle\": 1}":            `/c.jsonc:2:2: there is no setting "modle"`,
		`{"é": {}}`:                     `/c.jsonc:1:2: there is no setting "é"`,
		`{"apiKey": "sk-canary"}`:       `/c.jsonc:1:2: there is no setting "apiKey"`,
		`{"bell": "true"}`:              "/c.jsonc:1:10: bell: want true or false, without quotes",
		`{"theme": "pink"}`:             "/c.jsonc:1:11: theme: want auto, light, dark, mono",
		`{"budget": {"maxTurns": "3"}}`: "/c.jsonc:1:25: budget.maxTurns: want a whole number, without quotes",
		`{"budget": {"maxTurns": -3}}`:  "/c.jsonc:1:25: budget.maxTurns: want a whole number from 0 to 2147483647",
		`{"budget": {"maxTurns": 1.5}}`: "/c.jsonc:1:25: budget.maxTurns: want a whole number from 0 to 2147483647",
		`{"budget": {"timeout": "5"}}`:  "/c.jsonc:1:24: budget.timeout: want a time with a unit, such as 90s or 5m",
		`{"budget": 3}`:                 "/c.jsonc:1:12: want budget to be an object in braces",
		`{"fallback": "a"}`:             `/c.jsonc:1:14: fallback: want a list of texts, such as ["one", "two"]`,
		`{"fallback": ["a", null]}`:     `/c.jsonc:1:14: fallback: want a list of texts, such as ["one", "two"]`,
		`{"fallback": ["a,b"]}`:         "/c.jsonc:1:14: fallback: a text has a comma; give several texts instead",
		`{"log": {"dir": "logs"}}`:      "/c.jsonc:1:17: log.dir: want an absolute path: a file counts in every folder",
		`{"keys": {"a": [1]}}`:          `/c.jsonc:1:10: keys: want an object of texts or lists of texts, such as {"interrupt": "esc"}`,
		`{"bell": true, "bell": true}`:  `/c.jsonc:1:16: the setting "bell" is there twice`,
		`{"bell": true} x`:              "/c.jsonc:1:16: it is not JSON: invalid character 'x' after top-level value",
		"{\"model\": \"\xff\"}":         "/c.jsonc:1:12: the text is not UTF-8",
		`{`:                             "/c.jsonc:1:1: it is not JSON: unexpected end of JSON input",
	} {
		_, err := ParseFile("/c.jsonc", []byte(text))
		if err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, _, _ := strings.Cut(fault.Message(err), " (")
		if got, whole := got, fault.Message(err); got != want && !strings.HasPrefix(whole, want) {
			t.Errorf("%s:\n got %s\nwant %s", text, whole, want)
		}
	}
}

func TestAMisspeltSettingSuggestsOne(t *testing.T) {
	for name, want := range map[string]string{"modle": "model", "budget.maxTurn": "budget.maxTurns", "maxTurns": "budget.maxTurns", "token": "", "zzzzzz": ""} {
		if got := nearest(name); got != want {
			t.Errorf("%s suggests %q, want %q", name, got, want)
		}
	}
}

// everything is a file with every setting.
const everything = `// mine
{
  "$schema": "https://example.com/schema.json",
  "model": "anthropic:m", "fallback": ["ollama:a", "b"], "baseUrl": "http://h/v1", "toolSet": "small", "toolSearch": "50", "effort": "high",
  "providers": {
    "anthropic": {"baseUrl": "http://a"}, "gemini": {"baseUrl": "http://g"}, "ollama": {"baseUrl": "http://o", "contextLength": 4096},
    "azure": {"baseUrl": "http://z", "apiVersion": "v1"}, "bedrock": {"baseUrl": "http://b", "region": "us-east-1"}, "local": ["http://l/v1", "http://m/v1"],
  },
  "network": {"retryFor": "5m", "silence": "90m", "caFile": "/ca", "clientCert": "/cc", "clientKey": "/ck"},
  "repeatedAnswers": "off", "repeatedCalls": "off", "keyring": false,
  "permissions": {"allow": ["write"], "deny": ["shell(rm)"], "allowAll": true, "allPaths": true, "folders": ["/f"], "protect": ["p"]},
  "sandbox": {"mode": "read-only", "autoAllow": true, "exclude": ["shell(docker:*)"], "required": true},
  "budget": {"maxTurns": 1, "maxTokens": 2, "timeout": "3s"},
  "subagents": {"depth": 4, "running": 5, "perMessage": 6, "models": ["explore=x"]},
  "theme": "dark", "notifications": "off", "bell": false, "reasoning": "full", "vim": true, "keys": {"interrupt": "esc", "send": ["enter", "ctrl+j"]},
  "editor": "vi", "durability": "os", "claudeInstructions": "off", "log": {"level": "debug", "dir": "/log"},
}`

func TestEverySettingIsReadFromAFile(t *testing.T) {
	cfg, err := Load(Flags{}, env{"EDITOR": "ed"}.get, "/home/ann", parsed(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys() {
		value, from := cfg.Show(k)
		if !strings.HasPrefix(from, "file /c.jsonc:") || value == nil {
			t.Errorf("%s is %v from %q", k.Name, value, from)
		}
		if k.Help == "" || k.Project == Never && k.Why == "" || k.Project == Stricter && k.rank == nil && !k.Adds {
			t.Errorf("the row of %s is not complete", k.Name)
		}
	}
	if diff := cmp.Diff(map[string][]string{"interrupt": {"esc"}, "send": {"enter", "ctrl+j"}}, cfg.Terminal.Keys.Value); diff != "" {
		t.Error(diff)
	}
	if cfg.Fallback.Value != "ollama:a,b" || cfg.Budget.Time.Value.String() != "3s" || cfg.Model.From != "file /c.jsonc:4" {
		t.Errorf("%+v", cfg)
	}
}

func TestPrecedenceOfFiles(t *testing.T) {
	user := parsed(t, `{"model": "mine", "baseUrl": "http://h/v1", "permissions": {"deny": ["a"]}, "bell": false, "sandbox": {"mode": "on"}, "theme": "dark", "budget": {"maxTurns": 5}}`)
	theirs := project(t, `{"model": "theirs", "permissions": {"deny": ["b"]}, "sandbox": {"mode": "read-only"}, "budget": {"maxTurns": 3}}`, true)
	given := func(name string) bool { return name == "max-turns" || name == "allow-all" }
	cfg, err := Load(Flags{DenyTools: []string{"c"}, Given: given}, env{"NO_COLOR": "1"}.get, "/home/ann", theirs, user)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{cfg.Model.Value, cfg.Sandbox.Value, strings.Join(cfg.DenyTools.Value, " "), cfg.DenyTools.From, cfg.Budget.Turns.From, cfg.AllowAll.From, cfg.Terminal.Theme.Value, cfg.Terminal.Theme.From}
	want := []string{"theirs", "read-only", "c b a", "flag --deny-tool, file /c.jsonc:1, file /c.jsonc:1", "flag --max-turns", "flag --yolo", "mono", "env NO_COLOR"}
	if diff := cmp.Diff(want, got); diff != "" || len(cfg.Refused) != 0 {
		t.Error(diff, cfg.Refused)
	}
	cfg, err = Load(Flags{}, env{"SIDESTICK_MODEL": "env"}.get, "/home/ann", theirs, user)
	if err != nil || cfg.Model.From != "env SIDESTICK_MODEL" || cfg.Budget.Turns.Value != 3 {
		t.Error(err, cfg.Model, cfg.Budget)
	}
}

// A project can make things stricter, and with trust choose harmless things; nothing else of
// everything has an effect.
func TestWhatAProjectMaySet(t *testing.T) {
	users := parsed(t, `{"baseUrl": "http://h/v1"}`)
	for _, trusted := range []bool{false, true} {
		cfg, err := Load(Flags{}, env{}.get, "/home/ann", project(t, everything, trusted), users)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"permissions.deny", "permissions.protect", "sandbox.mode", "sandbox.required", "budget.maxTurns", "budget.maxTokens", "budget.timeout", "subagents.running", "subagents.perMessage"}
		if trusted {
			want = append([]string{"toolSet", "toolSearch", "effort"}, append(want, "subagents.models")...) // the models are those of other providers
		}
		var got []string
		for _, k := range Keys() {
			if _, from := cfg.Show(k); strings.HasPrefix(from, "file ") && k.Name != "baseUrl" {
				got = append(got, k.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trusted: %v\n%s", trusted, diff)
		}
		if refused := len(cfg.Refused); refused != len(Keys())-len(want) {
			t.Errorf("trusted %v: %d of %d are refused:\n%s", trusted, refused, len(Keys()), strings.Join(cfg.Refused, "\n"))
		}
		if p := cfg.Provider(); p.BaseURL != "http://h/v1" || p.Model != "" {
			t.Errorf("the project has changed the provider: %+v", p)
		}
	}
}

func TestAProjectCannotRelaxAnything(t *testing.T) {
	for _, tc := range []struct{ users, theirs, key, want string }{
		{`{}`, `{"sandbox": {"mode": "off"}}`, "sandbox.mode", "<nil>"},
		{`{"sandbox": {"mode": "read-only"}}`, `{"sandbox": {"mode": "on"}}`, "sandbox.mode", "read-only"},
		{`{"sandbox": {"mode": "off"}}`, `{"sandbox": {"mode": "on"}}`, "sandbox.mode", "on"},
		{`{"sandbox": {"required": true}}`, `{"sandbox": {"required": false}}`, "sandbox.required", "true"},
		{`{"budget": {"maxTurns": 5}}`, `{"budget": {"maxTurns": 0}}`, "budget.maxTurns", "5"},
		{`{"budget": {"timeout": "5m"}}`, `{"budget": {"timeout": "10m"}}`, "budget.timeout", "5m0s"},
		{`{}`, `{"subagents": {"depth": 100}}`, "subagents.depth", "3"},
	} {
		cfg, err := Load(Flags{}, env{}.get, "/home/ann", project(t, tc.theirs, true), parsed(t, tc.users))
		if err != nil {
			t.Fatal(err)
		}
		k, _ := FindKey(tc.key)
		value, _ := cfg.Show(k)
		if got := printedValue(value); got != tc.want {
			t.Errorf("%s, project %s: %s is %s, want %s", tc.users, tc.theirs, tc.key, got, tc.want)
		}
		if relaxes := tc.want != "on"; relaxes != (len(cfg.Refused) == 1) {
			t.Errorf("project %s: refused %q", tc.theirs, cfg.Refused)
		}
	}
}

func TestAProjectCannotChooseAnotherServer(t *testing.T) {
	for _, tc := range []struct{ users, model, want string }{
		{`{"model": "ollama:a"}`, "ollama:b", "ollama:b"},
		{`{"model": "ollama:a"}`, "b", "ollama:a"},
		{`{"model": "ollama:a"}`, "anthropic:b", "ollama:a"},
		{`{"model": "ollama:a"}`, "http://evil/v1#b", "ollama:a"},
		{`{"model": "ollama:a"}`, "extension:http://evil", "ollama:a"},
		{`{"baseUrl": "http://h/v1"}`, "b", "b"},
		{`{"baseUrl": "http://h/v1"}`, "http://h/v1#b", ""},
		{`{}`, "ollama:a", ""},
	} {
		theirs := project(t, `{"model": "`+tc.model+`", "fallback": ["`+tc.model+`"], "subagents": {"models": ["explore=`+tc.model+`"]}}`, true)
		cfg, err := Load(Flags{}, env{}.get, "/home/ann", theirs, parsed(t, tc.users))
		if err != nil {
			t.Fatal(err)
		}
		taken := cfg.Model.Value == tc.model
		if cfg.Model.Value != tc.want || (cfg.Fallback.Value != "") != taken || (cfg.Subagents.Models.Value != "") != taken {
			t.Errorf("%s, project %s: model %q, fallback %q, agents %q", tc.users, tc.model, cfg.Model.Value, cfg.Fallback.Value, cfg.Subagents.Models.Value)
		}
	}
}

// A server for SDK programs takes from files what is about models and what is stricter; its
// programs decide about permissions.
func TestAServerTakesNoGrantsFromFiles(t *testing.T) {
	cfg, err := Load(Flags{Server: true}, env{}.get, "/home/ann", project(t, `{"model": "ollama:z", "permissions": {"deny": ["write"]}}`, true), parsed(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.AllowAll.Value || cfg.AllPaths.Value || cfg.AllowTools.Value != nil || cfg.Folders.Value != nil || cfg.SandboxAutoAllow.Value || cfg.SandboxExclude.Value != nil || cfg.Sandbox.Value != "" || cfg.Budget.Turns.Value != 0 {
		t.Errorf("grants of the file count: %+v", cfg)
	}
	if cfg.Model.Value != "anthropic:m" || len(cfg.DenyTools.Value) != 1 || !cfg.SandboxRequired.Value {
		t.Errorf("%+v", cfg)
	}
}

func printedValue(v any) string {
	if v == nil {
		return "<nil>"
	}
	return fmt.Sprint(v)
}

func FuzzParseFile(f *testing.F) {
	f.Add(everything)
	f.Add(`{"budget": {"maxTurns": 1}, "keys": {"a": ["b"]}} // x`)
	f.Add("{\"model\": \"a\", /* \xff */ }")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ParseFile("/c", []byte(text))
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatalf("%q: %v", text, err)
		}
		file.Project = true
		if cfg, err := Load(Flags{}, env{}.get, "/", file); err == nil && (cfg.AllowAll.Value || cfg.AllowTools.Value != nil || cfg.BaseURL.Value != "" || cfg.Model.Value != "" || cfg.Terminal.Editor.Value != "") {
			t.Fatalf("%q grants or leads", text)
		}
	})
}
