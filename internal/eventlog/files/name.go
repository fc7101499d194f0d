package files

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	maxID   = 200 // bytes of a session id
	maxName = 255 // bytes of a file name; a bound of the usual file systems
)

// CheckID returns the [fault.Invalid] error for a text that cannot be the id of a session.
func CheckID(session string) error {
	_, err := folder("files.CheckID", session)
	return err
}

// folder returns the name of a session's folder. op is the operation that an error names.
func folder(op, session string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", &fault.Error{
			Op: op, On: shown(session), Kind: fault.Invalid,
			Hint: "letters, digits, '.', '_' and '-' always work",
			Err:  errString("not a session id: it " + why),
		}
	}
	switch {
	case session == "":
		return refuse("is empty")
	case len(session) > maxID:
		return refuse("is longer than 200 bytes")
	case session == "..":
		return refuse("is the folder above")
	case strings.ContainsAny(session, `/\`):
		return refuse("has a path separator")
	case !utf8.ValidString(session):
		return refuse("is not UTF-8")
	case strings.ContainsFunc(session, isUnprintable):
		return refuse("has a character that cannot be printed")
	}
	name := encode(session)
	if len(name) > maxName {
		return refuse("is longer than 255 bytes once its special characters are encoded")
	}
	return name, nil
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) }

// sessionOf is the inverse of folder. It reports false for a name that folder
// never returns.
func sessionOf(name string) (session string, ok bool) {
	session, err := url.PathUnescape(name)
	if err != nil {
		return "", false
	}
	again, err := folder("", session)
	return session, err == nil && again == name
}

// encode turns a session id into a file name that is valid on every system.
func encode(session string) string {
	const hex = "0123456789ABCDEF"
	var name strings.Builder
	reserved, last := isReserved(session), len(session)-1
	for i := range len(session) {
		c := session[i]
		plain := isPlain(c)
		switch {
		case c == '.' && (i == 0 || i == last): // hidden on Unix, dropped on Windows
			plain = false
		case i == 0 && reserved:
			plain = false
		}
		if plain {
			name.WriteByte(c)
		} else {
			name.Write([]byte{'%', hex[c>>4], hex[c&0xf]})
		}
	}
	return name.String()
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}

// isReserved reports whether Windows takes a file of this name for a device, whatever
// follows the first dot.
func isReserved(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")
	return port && len(base) == 4 && '0' <= base[3] && base[3] <= '9'
}
