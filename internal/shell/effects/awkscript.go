package effects

import (
	"regexp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// awkScripts are the options of awk with which its script can still be read.
var awkScripts = readOnlyUse{options: "-F: -v:", textOperands: 1}

// awkIsSafe reports whether an awk program only reads its input and prints: it runs no
// other program, opens no other file, and reads neither the environment nor the command
// line.
//
// The text is split into tokens in the one way in which gawk, mawk, busybox and the awk of
// BSD agree; where a slash or a bracket could be read in two ways, it is not safe. Names
// count only if they are listed here or are variables of the program. Sources: POSIX.1-2024,
// awk, "Grammar"; gawk manual, "Redirection", "Getline", "Built-in Variables", "Indirect Calls".
func awkIsSafe(script string) bool {
	if len(script) > maxScript {
		return false
	}
	a := &awkReader{text: script}
	for a.next() {
		if !a.accepts() {
			return false
		}
		a.before = a.token
	}
	return !a.failed
}

// awkHost matches the name of a file that gawk takes for a connection to another machine. Source:
// gawk manual, "Using gawk for Network Programming".
var awkHost = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`/(?:inet[46]?|dev)/(?:tcp|udp)(?:/[^/]*/([^/"]*))?`)
}}

// awkHosts finds connections to other machines among the arguments of awk.
func (r *reader) awkHosts(args []word) {
	for _, a := range args {
		for _, host := range awkHost.Get().FindAllStringSubmatch(a.text, -1) {
			r.unclear("awk connects to another machine for " + host[0])
			if host[1] != "" {
				r.url("http://"+host[1], len("http"))
			}
		}
	}
}

// awkReader splits a program into tokens.
type awkReader struct {
	text     string
	at       int
	token    string // the current token; a string or a regular expression is `""`
	before   string // the token before it
	failed   bool
	printing bool   // in a print or printf, where > names a file
	open     []bool // for each open parenthesis, whether it is that of a statement such as if
	closed   bool   // the last parenthesis that was closed is that of a statement
}

// next reads one token. It returns false at the end and if a token cannot be read for sure.
func (a *awkReader) next() bool {
	rest := strings.TrimLeft(a.text[a.at:], " \t")
	a.at = len(a.text) - len(rest)
	n := 1
	switch {
	case rest == "":
		return false
	case rest[0] == '#':
		if n = strings.IndexByte(rest, '\n'); n < 0 {
			return false
		}
		a.at += n
		return a.next()
	case rest[0] == '"':
		n = quotedEnd(rest)
	case rest[0] == '/' && a.regexFollows():
		end, ok := regexEnd(rest[1:], '/')
		if n = end + 2; !ok {
			n = 0
		}
	case rest[0] == '/' && !a.divisionFollows():
		n = 0
	case strings.IndexByte(digitBytes, rest[0]) >= 0:
		n = len(rest) - len(strings.TrimLeft(rest, digitBytes))
	case isNameByte(rest[0]):
		n = len(rest) - len(strings.TrimLeft(rest, nameBytes))
	case len(rest) > 1 && strings.Contains(" && || ++ -- += -= *= %= ^= == != <= >= !~ >> ", " "+rest[:2]+" "):
		n = 2
	case strings.IndexByte("{}()[];,\n+-*/%^!<>~?:$=|&", rest[0]) < 0:
		n = 0
	}
	if n <= 0 {
		a.failed = true
		return false
	}
	a.token = rest[:n]
	if a.token[0] == '"' || n > 1 && a.token[0] == '/' {
		a.token = `""`
	}
	a.at += n
	return true
}

// regexFollows reports whether a slash after the token before begins a regular expression
// for every awk.
func (a *awkReader) regexFollows() bool {
	switch a.before {
	case "", "\n", ";", "{", "}", "(", ",", "!", "~", "!~", "&&", "||", "print", "return":
		return true
	}
	return false
}

// divisionFollows reports whether a slash after the token before is a division for every
// awk: after a variable, a number, a subscript or a parenthesis in an expression.
func (a *awkReader) divisionFollows() bool {
	return a.before == "]" || a.before == ")" && !a.closed || a.endsInName()
}

// endsInName reports whether the token before is a variable or a number.
func (a *awkReader) endsInName() bool {
	return a.before != "" && strings.IndexByte(nameBytes+".", a.before[0]) >= 0 && !awkKeywords.Get()[a.before]
}

// accepts judges the current token.
func (a *awkReader) accepts() bool {
	switch t := a.token; {
	case t == ";" || t == "}" || t == "\n" && a.endsExpression():
		a.printing = false
	case t == "print" || t == "printf":
		a.printing = true
	case t == ">>" || t == "|" || t == "&" || (t == ">" || t == ">=") && a.printing:
		return false
	case t == "(":
		a.open = append(a.open, a.before == "if" || a.before == "while" || a.before == "for")
		return !a.endsInName() || a.before[0] <= '9' || awkVariables.Get()[a.before]
	case t == ")" && len(a.open) > 0:
		a.closed = a.open[len(a.open)-1]
		a.open = a.open[:len(a.open)-1]
	case isNameByte(t[0]) && t[0] > '9':
		return awkKeywords.Get()[t] || awkVariables.Get()[t] || strings.Trim(t, upperBytes) != "" && !awkDenied.Get()[t]
	}
	return true
}

// endsExpression reports whether a line may end after the token before.
func (a *awkReader) endsExpression() bool {
	b := a.before
	return b == ")" || b == "]" || b == `""` || b == "++" || b == "--" || a.endsInName()
}

const (
	upperBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	nameBytes  = upperBytes + "abcdefghijklmnopqrstuvwxyz0123456789"
	digitBytes = "0123456789."
)

func isNameByte(c byte) bool { return strings.IndexByte(nameBytes, c) >= 0 }

// quotedEnd returns the length of a text in double quotes, 0 if it does not end in its
// line.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case '"':
			return i + 1
		}
	}
	return 0
}

// awkKeywords are the keywords and functions of awk that reach nothing outside the program.
var awkKeywords = set{names: `BEGIN END if else while for do break continue next nextfile exit delete in return print printf
	substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand length
	systime strftime asort asorti and or xor lshift rshift`}

// awkVariables are the variables of awk that hold nothing from outside of its input.
var awkVariables = set{names: "NR NF FNR FS OFS RS ORS RT RSTART RLENGTH SUBSEP FILENAME IGNORECASE CONVFMT OFMT FIELDWIDTHS FPAT"}

// awkDenied are the words that look like a variable of the program and reach outside of it, or
// whose meaning differs between versions.
var awkDenied = set{names: "getline system close fflush function func extension load include namespace eval switch case default _"}
