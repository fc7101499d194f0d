package permit

import "testing"

func TestSkillRules(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"Bash(git:*)", "shell(git:*)"},
		{"Bash(npm run test:*)", "shell(npm run test:*)"},
		{"Bash(git status *)", "shell(git status:*)"},
		{"Bash(git status)", "shell(git status)"},
		{"Bash", "shell"},
		{"Bash(*)", "shell"},
		{"shell(ls)", "shell(ls)"},
		{"Read", "read"},
		{"view", "read"},
		{"Write", "write"},
		{"Edit(src/**)", "write(src/**)"},
		{"WebFetch(domain:example.com)", "url(example.com)"},
		{"url(example.com)", "url(example.com)"},
		{"lookup", "lookup"},
		{"Bash()", ""}, // nothing is not everything
		{"Bash(", ""},
		{"Bash(git:*", ""},
		{"Frob(x)", ""},
		{"*", ""},
		{"", ""},
		{"git status", ""},
		{"Read(../x)", ""},
	} {
		rule, err := skillRule(tc.text)
		got := rule.String()
		if err != nil {
			got = ""
		}
		if got != tc.want {
			t.Errorf("skillRule(%q) = %q, %v, want %q", tc.text, got, err, tc.want)
		}
	}
}

// FuzzSkillRule reads entries of skills: no text but a plain one allows a whole kind.
func FuzzSkillRule(f *testing.F) {
	for _, seed := range []string{"Bash(git:*)", "Bash()", "Read(", "WebFetch(domain:)", "Bash( * )", "shell()", "x(y)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := skillRule(text)
		if err == nil && rule.Argument == "" && len(text) > 20 {
			t.Errorf("%q allows %s", text, rule)
		}
	})
}
