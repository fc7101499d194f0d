package effects

import (
	"regexp"
	"strings"
	"sync"
)

// sedScripts are the options of sed with which its script can still be read. It may write
// files (-i).
var sedScripts = readOnlyUse{
	options: "-n -E -r -s -z -u -i -e: --quiet --silent --expression: --regexp-extended --in-place?", textOperands: 1, textOptions: []string{"-e", "--expression"},
}

// awkScripts are those of awk.
var awkScripts = readOnlyUse{options: "-F: -v:", textOperands: 1}

// sedIsSafe reports whether a sed script only edits text: it has no e, r, R, w or W,
// neither as a command nor as a flag of s. A command that is not known here is not safe.
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
			// The text ends with this line or, after "a\\", with the next one. Versions of sed
			// disagree about where text with a backslash ends.
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

// sedDelimited skips n texts between delimiters; s begins with the first delimiter. It
// gives up (ok is false) on a character class that begins with a bracket, because where
// such a class ends differs between versions of sed.
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
			class = true // whether a delimiter inside a class counts differs between versions
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

// awkUnsafe finds what lets an awk program run another program, write or read a file, or
// load code. It also finds comparisons with >, so those need an approval. Source: gawk
// manual, "Input/Output Functions", "Redirection", "Include Files".
var awkUnsafe = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`system|getline|[|>@]|ENVIRON|PROCINFO|load|include|ARGV|FS\s*=\s*"/inet`)
})

func awkIsSafe(script string) bool { return !awkUnsafe().MatchString(script) }

// jqUnsafe finds what lets jq read modules and the environment.
var jqUnsafe = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\benv\b|\$ENV|\bimport\b|\binclude\b|\binput_filename\b|\$__prog`)
})

func jqIsSafe(filter string) bool { return !jqUnsafe().MatchString(filter) }

// printfAssigns finds %n, with which the printf of bash sets the variable that an
// argument names, which may be PATH. Source: bash 5.2, builtins/printf.def.
var printfAssigns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`%[^%a-zA-Z\\]*[hjlLtz]*n`)
})

func printfIsSafe(s string) bool { return !printfAssigns().MatchString(s) }
