package permit

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// IsProgramName reports whether every shell and every reader understands a program's name
// alike. No rule can name a program for which it returns false: a command with such a name
// is unclear.
func IsProgramName(name string) bool {
	return name != "" && name[0] != '-' && strings.IndexFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-+/[:", c))
	}) < 0
}

// reserved are the words of bash that look like programs and run none.
var reserved = []string{
	"if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done",
	"case", "esac", "in", "function", "coproc", "let", "[[",
}

// shellProblem says why a rule for commands could never match a command as its author means
// it; "" if it can. The words of a rule are compared with those of the command after the
// shell has removed quotes, so syntax of the shell has no meaning in a rule.
func shellProblem(argument string) string {
	text := strings.TrimSuffix(argument, ":*")
	if why := syntaxProblem(text); why != "" {
		return why
	}
	words := strings.Fields(text)
	if why := programProblem(words[0]); why != "" {
		return why
	}
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch {
	case strings.Contains(second, ",") && second[0] != '-':
		return "a rule names one command; write " + each(strings.Split(second, ","), words[0]+" ")
	case strings.HasSuffix(second, ":"):
		return fmt.Sprintf("nothing may come after the colon but *, as in %s", shellRule(strings.TrimRight(text, ":")+":*"))
	case words[len(words)-1] == "*":
		return fmt.Sprintf("a * is allowed only at the end, after a colon, as in %s", shellRule(strings.Join(words[:len(words)-1], " ")+":*"))
	}
	return ""
}

// syntaxProblem refuses the syntax of the shell.
func syntaxProblem(text string) string {
	switch {
	case strings.ContainsAny(text, "\"'\\"):
		plain := strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
		return "the words of a rule are written without quotes and backslashes" + asIn(plain)
	case strings.ContainsAny(text, "$`"):
		return "a rule does not replace variables and commands; name the program itself"
	case strings.ContainsAny(text, "<>"):
		program := strings.TrimSpace(text[:strings.IndexAny(text, "<>")])
		return "a rule for a program does not cover redirections, which rules of the kind write do; write the program alone" + asIn(program)
	case strings.ContainsAny(text, "|&;"):
		return "a rule names one program; write " + each(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("|&;", c) }), "")
	case strings.ContainsAny(text, "()"):
		return "a rule names one program and its words, without parentheses"
	case braces.Get().MatchString(text):
		return "braces are not expanded; write one rule for each command"
	case strings.Contains(" "+text, " #"):
		return "a word cannot begin with #, which begins a comment in the shell"
	}
	return ""
}

// programProblem says why no program can have the name.
func programProblem(name string) string {
	before, after, colon := strings.Cut(name, ":")
	drive := len(before) == 1 && strings.HasPrefix(after, "/")
	switch {
	case strings.Contains(name, ","):
		return "a rule names one program; write " + each(strings.Split(name, ","), "")
	case colon && !drive && IsProgramName(before):
		return fmt.Sprintf("after a colon comes only *; write %s, or %s", shellRule(strings.TrimSpace(before+" "+after)), shellRule(before+":*"))
	case name[0] == '~':
		return "write the path of the home folder; ~ is not expanded in rules"
	case strings.Contains(name, "="):
		return "a rule begins with the name of a program, not with an assignment"
	case strings.ContainsAny(name, "*?"):
		return "a * is allowed only at the end, after a colon, as in shell(git:*)"
	case !IsProgramName(name), strings.Contains(name, "[") && name != "[" && name != "[[":
		return fmt.Sprintf("no program can be called %q; commands with such a program always need approval", name)
	case strings.HasSuffix(name, "/"), path.Base(name) == "..":
		return "a rule names a program, and this is a folder"
	case slices.Contains(reserved, name):
		return name + " is a word of the shell, not a program; name the programs that it runs"
	}
	return ""
}

// each lists rules for commands in words, each with start before it: those that are rules.
func each(commands []string, start string) string {
	var rules []string
	for _, c := range commands {
		if c = strings.TrimSpace(c); c == "" {
			continue
		}
		if r, err := ParseRule(shellRule(start + c)); err == nil && len(rules) < 3 {
			rules = append(rules, r.String())
		}
	}
	if len(rules) == 0 {
		return "one rule for each, as in shell(git status)"
	}
	return "one rule for each, as in " + strings.Join(rules, " and ")
}

// asIn is ", as in shell(text)" if that is a rule, and otherwise nothing.
func asIn(text string) string {
	if r, err := ParseRule(shellRule(text)); err == nil {
		return ", as in " + r.String()
	}
	return ""
}

func shellRule(argument string) string { return string(Shell) + "(" + argument + ")" }
