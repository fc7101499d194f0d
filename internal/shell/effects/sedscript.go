package effects

import (
	"strings"
)

// sedScripts are the options of sed with which its script can still be read. It may write
// files (-i).
var sedScripts = readOnlyUse{
	options: sedOptions + " -i? --in-place?", textOperands: 1, textOptions: []string{"-e", "--expression"},
}

// sedOptions are the options with which sed writes no file and reads no script from one.
const sedOptions = `-n -E -r -s -z -u -l: -e: --quiet --silent --expression: --regexp-extended --separate --null-data --unbuffered --line-length:
	--posix --debug --sandbox`

// sedIsSafe reports whether a sed script only edits text: it has none of the commands and
// flags that run a program or that read or write a file (e, r, R, w, W, F).
//
// The script must be within a small grammar that every version of sed reads in the same
// way: commands whose ends are certain, and regular expressions in which it is certain
// where a bracket expression ends. Everything else is not safe. Sources: GNU sed manual,
// "sed scripts", "Commands Specific to GNU sed", "Reporting Bugs"; POSIX.1-2024, sed.
func sedIsSafe(script string) bool {
	if len(script) > maxScript {
		return false
	}
	s := &sedReader{rest: script}
	for {
		s.skip(" \t\n;")
		if s.rest == "" {
			return true
		}
		if !s.addresses() || !s.command() {
			return false
		}
	}
}

// sedReader reads a script from its beginning; rest is what has not been read.
type sedReader struct{ rest string }

func (s *sedReader) skip(chars string) { s.rest = strings.TrimLeft(s.rest, chars) }

// took reads a prefix, if the rest begins with it.
func (s *sedReader) took(prefix string) (ok bool) {
	s.rest, ok = strings.CutPrefix(s.rest, prefix)
	return ok
}

// digits reads a number. It returns false if there is none.
func (s *sedReader) digits() bool {
	before := len(s.rest)
	s.skip("0123456789")
	return len(s.rest) < before
}

// addresses reads the addresses before a command: none, one, or two with a comma.
func (s *sedReader) addresses() bool {
	had, ok := s.address()
	if !ok {
		return false
	}
	if had {
		s.skip(" ")
		if s.took(",") {
			s.skip(" ")
			if !s.took("+") && !s.took("~") {
				had, ok = s.address()
			} else {
				had, ok = true, s.digits()
			}
			if !had || !ok {
				return false
			}
		}
	}
	s.skip(" ")
	s.took("!")
	s.skip(" ")
	return s.rest != ""
}

// address reads one address.
func (s *sedReader) address() (had, ok bool) {
	switch {
	case s.took("$"):
		return true, true
	case s.digits():
		return true, !s.took("~") || s.digits()
	case s.took(`\`):
		if s.rest == "" || strings.IndexByte(",%#|@", s.rest[0]) < 0 {
			return false, false
		}
	case !strings.HasPrefix(s.rest, "/"):
		return false, true
	}
	delimiter := s.rest[0]
	s.rest = s.rest[1:]
	if !s.regex(delimiter) {
		return false, false
	}
	s.skip("IM")
	return true, true
}

// command reads one command.
func (s *sedReader) command() bool {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case '{':
		return true
	case '}', 'p', 'd', 'D', 'P', '=', 'n', 'N', 'g', 'G', 'h', 'H', 'x', 'z':
		return s.end()
	case 'q', 'Q', 'l':
		s.skip(" ")
		s.digits()
		return s.end()
	case ':', 'b', 't', 'T':
		s.skip(" ")
		before := len(s.rest)
		s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
		return (c != ':' || len(s.rest) < before) && !strings.HasPrefix(s.rest, "}") && s.end()
	case 'a', 'i', 'c':
		return s.text()
	case 's':
		return s.substitution()
	case 'y':
		delimiter, ok := s.delimiter()
		return ok && s.plain(delimiter) && s.plain(delimiter) && s.end()
	}
	return false
}

// end checks that a command ends here.
func (s *sedReader) end() bool {
	s.skip(" ")
	return s.rest == "" || strings.IndexByte("\n;}", s.rest[0]) >= 0
}

// text reads the text of a, i or c, which ends with its line. Versions of sed disagree
// about where a text with a backslash ends, so it may have one only at its beginning.
func (s *sedReader) text() bool {
	s.skip(" \t")
	s.took(`\`)
	line, after, _ := strings.Cut(s.rest, "\n")
	s.rest = after
	return line != "" && !strings.Contains(line, `\`)
}

func (s *sedReader) substitution() bool {
	delimiter, ok := s.delimiter()
	if !ok || !s.regex(delimiter) || !s.plain(delimiter) {
		return false
	}
	s.skip("gpiImM0123456789")
	return s.end()
}

// delimiter reads the character that separates the parts of s and y.
func (s *sedReader) delimiter() (byte, bool) {
	if s.rest == "" || strings.IndexByte("/|,#@%:!~_=", s.rest[0]) < 0 {
		return 0, false
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	return c, true
}

// regex reads a regular expression and the delimiter after it.
func (s *sedReader) regex(delimiter byte) bool {
	n, ok := regexEnd(s.rest, delimiter)
	if ok {
		s.rest = s.rest[n+1:]
	}
	return ok
}

// plain reads a text in which only a backslash is special, and the delimiter after it.
func (s *sedReader) plain(delimiter byte) bool {
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\n':
			return false
		case '\\':
			if i++; i < len(s.rest) && s.rest[i] == '\n' {
				return false
			}
		case delimiter:
			s.rest = s.rest[i+1:]
			return true
		}
	}
	return false
}
