package session

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
