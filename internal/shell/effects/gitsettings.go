package effects

import "strings"

// gitSetting is one setting of a file of settings of git.
type gitSetting struct {
	section    string // in small letters
	subsection string // as written
	key        string // in small letters
	value      string
	bare       bool // the key stands alone, without = and value
}

// name returns the setting's name as git config lists it.
func (s gitSetting) name() string {
	if s.subsection == "" {
		return s.section + "." + s.key
	}
	return s.section + "." + s.subsection + "." + s.key
}

// gitSettings reads a file of settings as git does. ok is false if git would refuse the
// file, or if it is not certain that git reads it in the same way. Source: git 2.39 and
// 2.50, config.c, git_parse_source.
func gitSettings(text string) (settings []gitSetting, ok bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f }) {
		return nil, false
	}
	r := settingsReader{rest: strings.ReplaceAll(text, "\r\n", "\n")}
	if strings.Contains(r.rest, "\r") {
		return nil, false
	}
	for {
		r.rest = strings.TrimLeft(r.rest, " \t\n")
		switch {
		case r.rest == "":
			return r.settings, true
		case r.rest[0] == '#' || r.rest[0] == ';':
			_, r.rest, _ = strings.Cut(r.rest, "\n")
		case r.rest[0] == '[':
			ok = r.header()
		default:
			ok = r.setting()
		}
		if !ok {
			return nil, false
		}
	}
}

// settingsReader reads the settings of a text from front to back.
type settingsReader struct {
	rest                string
	section, subsection string
	settings            []gitSetting
}

// header reads the name of a section with its brackets. A setting may follow in the same
// line. The old form [section.subsection] counts as one name with a dot.
func (r *settingsReader) header() bool {
	end := strings.IndexFunc(r.rest[1:], func(c rune) bool { return !isKeyLetter(c) && c != '.' }) + 1
	if end <= 1 {
		return false
	}
	r.section, r.subsection = strings.ToLower(r.rest[1:end]), ""
	if strings.Contains(r.section, ".") {
		return false
	}
	r.rest = r.rest[end:]
	if rest, closed := strings.CutPrefix(r.rest, "]"); closed {
		r.rest = rest
		return true
	}
	quoted := strings.TrimLeft(r.rest, " \t")
	if quoted == r.rest || !strings.HasPrefix(quoted, `"`) {
		return false
	}
	var name strings.Builder
	for i := 1; i < len(quoted); i++ {
		switch c := quoted[i]; c {
		case '\n':
			return false
		case '"':
			r.subsection, r.rest = name.String(), strings.TrimPrefix(quoted[i+1:], "]")
			return r.subsection != "" && strings.HasPrefix(quoted[i+1:], "]")
		case '\\':
			if i++; i == len(quoted) || quoted[i] == '\n' {
				return false
			}
		}
		name.WriteByte(quoted[i])
	}
	return false
}

// setting reads a key and, behind =, its value.
func (r *settingsReader) setting() bool {
	end := strings.IndexFunc(r.rest, func(c rune) bool { return !isKeyLetter(c) })
	if end < 0 {
		end = len(r.rest)
	}
	if end == 0 || r.rest[0] == '-' || r.rest[0] >= '0' && r.rest[0] <= '9' || r.section == "" {
		return false
	}
	s := gitSetting{section: r.section, subsection: r.subsection, key: strings.ToLower(r.rest[:end])}
	r.rest = strings.TrimLeft(r.rest[end:], " \t")
	switch {
	case r.rest == "" || r.rest[0] == '\n':
		s.bare = true
	case r.rest[0] != '=':
		return false
	default:
		var ok bool
		if s.value, ok = r.value(); !ok {
			return false
		}
	}
	r.settings = append(r.settings, s)
	return true
}

// value reads a value up to the end of its line, or of the last line that a backslash
// joins to it.
func (r *settingsReader) value() (string, bool) {
	var value strings.Builder
	quoted, spaces := false, 0
	text := r.rest[1:]
	for i := 0; i <= len(text); i++ {
		c := byte('\n') // git reads the end of a file like the end of a line
		if i < len(text) {
			c = text[i]
		}
		switch {
		case c == '\n':
			r.rest = text[i:]
			return value.String(), !quoted
		case (c == ' ' || c == '\t') && !quoted:
			if value.Len() > 0 {
				spaces++
			}
			continue
		case (c == ';' || c == '#') && !quoted:
			_, r.rest, _ = strings.Cut(text[i:], "\n")
			return value.String(), true
		}
		value.WriteString(strings.Repeat(" ", spaces))
		spaces = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			i++
			if i == len(text) {
				return "", false // a backslash at the end of the file
			}
			at := strings.IndexByte("\ntbn\"\\", text[i])
			if at < 0 || text[i] == 'b' {
				return "", false
			}
			value.WriteString([]string{"", "\t", "", "\n", `"`, `\`}[at])
		default:
			value.WriteByte(c)
		}
	}
	return "", false
}

// isKeyLetter reports whether a name of a section or key may hold a character.
func isKeyLetter(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}
