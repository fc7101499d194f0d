package config

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAVariableThatWasMeantForTheProgramIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"SIDESTICK_MODLE=secret": "did you mean SIDESTICK_MODEL?", "SIDESTICK_ALLOW_ALL=1": "did you mean --allow-all or the setting permissions.allowAll?",
		"SIDESTICK_MAX_TURNS=x": "did you mean --max-turns or the setting budget.maxTurns?", "SIDESTICK_BASEURL=x": "did you mean SIDESTICK_BASE_URL?",
	} {
		got := Ignored([]string{text})
		name, _, _ := strings.Cut(text, "=")
		if len(got) != 1 || !strings.HasSuffix(got[0], want) || !strings.Contains(got[0], name) || strings.Contains(got[0], "secret") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	quiet := []string{"SIDESTICK_MODEL=m", "SIDESTICK_MODLE=", "SIDESTICK_SANDBOX_TEST=1", "SIDESTICK_OF_ANOTHER_TOOL=1", "MODLE=m", "SIDESTICK_=1"}
	if got := Ignored(quiet); got != nil {
		t.Errorf("%q", got)
	}
}

func TestThePageOfFlagsHasTheVariables(t *testing.T) {
	page, err := os.ReadFile("../../docs/flags.md")
	if err != nil {
		t.Fatal(err)
	}
	known := otherVariables()
	for _, k := range Keys() {
		known = append(known, k.Variables...)
	}
	named := regexp.MustCompile("`SIDESTICK_[A-Z_]+`").FindAllString(string(page), -1)
	for _, name := range named {
		if name = strings.Trim(name, "`"); !slices.Contains(known, name) {
			t.Errorf("%s of docs/flags.md is not known", name)
		}
	}
	for _, name := range otherVariables() {
		if !slices.Contains(named, "`"+name+"`") {
			t.Errorf("docs/flags.md does not name %s", name)
		}
	}
}
