package effects

import (
	"regexp"
	"strings"
)

// sedScripts are the options of sed whose scripts can be read; it may write files.
var sedScripts = readOnlyUse{
	options: "-n -E -r -s -z -u -i -e: --quiet --silent --expression: --regexp-extended --in-place?", textOperands: 1, textOptions: []string{"-e", "--expression"},
}

// awkScripts are those of awk.
var awkScripts = readOnlyUse{options: "-F: -v:", textOperands: 1}

// sedIsSafe reports whether a script of sed does nothing but edit: no e, r, R, w and W,
// neither as commands nor as flags of s. What it does not know is not plain.
// Source: GNU sed manual, "sed scripts", "Commands Specific to GNU sed".
func sedIsSafe(script string) bool {
	rest := script
	for {
		rest = strings.TrimLeft(rest, " \t\n;{}")
		if rest == "" {
			return true
		}
		var ok bool
		if rest, ok = sedAddresses(rest); !ok || rest == "" {
			return false
		}
		command := rest[0]
		rest = rest[1:]
		switch command {
		case '{', 'p', 'd', 'D', 'P', 'q', 'Q', '=', 'l', 'n', 'N', 'g', 'G', 'h', 'H', 'x':
			rest = strings.TrimLeft(rest, " 0123456789")
			if rest != "" && !strings.ContainsRune(" \t\n;}", rune(rest[0])) && command != '{' {
				return false
			}
		case 'a', 'i', 'c':
			// Text up to the end of the line, or that of the next one. Where it ends that
			// holds a backslash, versions of sed do not agree.
			line, after, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(rest, " \t"), "\\\n"), "\n")
			if strings.Contains(line, `\`) {
				return false
			}
			rest = after
		case 's', 'y':
			if rest, ok = sedDelimited(rest, 2); !ok {
				return false
			}
			flags := len(rest) - len(strings.TrimLeft(rest, "gpiI0123456789"))
			if command == 'y' {
				flags = 0
			}
			if rest = rest[flags:]; rest != "" && !strings.ContainsRune(" \t\n;}", rune(rest[0])) {
				return false
			}
		default:
			return false
		}
	}
}

// sedAddresses skips the addresses before a command.
func sedAddresses(s string) (rest string, ok bool) {
	for range 2 {
		switch {
		case strings.HasPrefix(s, "/"):
			if s, ok = sedDelimited(s, 1); !ok {
				return "", false
			}
			s = strings.TrimLeft(s, "IM")
		case strings.HasPrefix(s, "$"):
			s = s[1:]
		default:
			s = strings.TrimLeft(s, "0123456789+~")
		}
		s = strings.TrimLeft(s, " ")
		if !strings.HasPrefix(s, ",") {
			break
		}
		s = strings.TrimLeft(s[1:], " ")
	}
	return strings.TrimLeft(s, "! "), true
}

// sedDelimited skips n texts between delimiters, of which the first begins s. A class
// that begins with a bracket is not read: whether it ends there is another question
// for sed than for us.
func sedDelimited(s string, n int) (rest string, ok bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' || s[0] >= 0x80 {
		return "", false
	}
	delimiter := s[0]
	class := false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && (strings.HasPrefix(s[i:], "[]") || strings.HasPrefix(s[i:], "[^]")):
			return "", false
		case s[i] == '[':
			class = true // inside a class the delimiter may or may not count
		case s[i] == ']':
			class = false
		case s[i] == delimiter && class:
			return "", false
		case s[i] == delimiter:
			if n--; n == 0 {
				return s[i+1:], true
			}
		}
	}
	return "", false
}

// awkUnsafe finds what lets a program of awk run something, write or read a file, or
// load code. Comparisons with > are found, too, and asked about.
// Source: gawk manual, "Input/Output Functions", "Redirection", "Include Files".
var awkUnsafe = regexp.MustCompile(`system|getline|[|>@]|ENVIRON|PROCINFO|load|include|ARGV|FS\s*=\s*"/inet`)

func awkIsSafe(script string) bool { return !awkUnsafe.MatchString(script) }

// jqUnsafe finds what lets jq read modules and the environment.
var jqUnsafe = regexp.MustCompile(`\benv\b|\$ENV|\bimport\b|\binclude\b|\binput_filename\b|\$__prog`)

func jqIsSafe(filter string) bool { return !jqUnsafe.MatchString(filter) }

// printfAssigns finds %n, with which printf of bash sets the variable that an argument
// names, be it PATH. Source: bash 5.2, builtins/printf.def.
var printfAssigns = regexp.MustCompile(`%[^%a-zA-Z\\]*[hjlLtz]*n`)

func printfIsSafe(s string) bool { return !printfAssigns.MatchString(s) }
