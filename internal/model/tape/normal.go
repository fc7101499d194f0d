package tape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// rules replace what differs between two runs of one conversation. docs/replay.md lists them.
var rules = lazy.Value[[]rule]{Make: func() []rule {
	return []rule{
		{element("current_datetime"), "$1$2", ""},
		{element("environment_context"), "$1$2", ""},
		{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "", "id"},
		{regexp.MustCompile(`\bcall_[A-Z2-7]{26}\b`), "", "call"},
	}
}}

// element matches an element in a JSON string, in which some encoders escape the brackets.
func element(name string) *regexp.Regexp {
	return regexp.MustCompile(`((?:<|\\u003c)` + name + `(?:>|\\u003e)).*?((?:<|\\u003c)/` + name + `(?:>|\\u003e))`)
}

// rule replaces what a pattern matches, or numbers it in the order of its first appearance.
type rule struct {
	pattern  *regexp.Regexp
	with     string
	numbered string
}

// normal is the form of a request in which it is compared: without what differs between two runs of
// one conversation. places are those of the recorded and of the live call, whose paths and ids have
// the same names.
func normal(body []byte, places []model.Place) []byte {
	for _, n := range namesOf(places) {
		body = replaceName(body, n)
	}
	for _, r := range rules.Get() {
		if r.numbered == "" {
			body = r.pattern.ReplaceAll(body, []byte(r.with))
			continue
		}
		seen := map[string]int{}
		body = r.pattern.ReplaceAllFunc(body, func(found []byte) []byte {
			n, ok := seen[string(found)]
			if !ok {
				n = len(seen) + 1
				seen[string(found)] = n
			}
			return []byte("${" + r.numbered + strconv.Itoa(n) + "}")
		})
	}
	return body
}

// mentions reports whether a body may have a name of a place.
func mentions(body []byte, at model.Place) bool {
	return slices.ContainsFunc(namesOf([]model.Place{at}), func(n name) bool { return bytes.Contains(body, []byte(n.value)) })
}

// name is a text that has another value in each run.
type name struct{ value, is string }

// maxMoved bounds a text that [moved] returns, in bytes: longer names make it longer.
const maxMoved = 64 << 20

// moved is a text in JSON with the paths and ids of another place. It has no NUL, which marks a name
// between the two steps.
func moved(text []byte, from, to model.Place) ([]byte, error) {
	own := namesOf([]model.Place{to})
	var found []name
	for _, n := range namesOf([]model.Place{from}) {
		i := slices.IndexFunc(own, func(o name) bool { return o.is == n.is })
		if i < 0 || own[i].value == n.value {
			continue
		}
		mark := "\x00" + n.is
		text = replaceName(text, name{n.value, mark})
		found = append(found, name{mark, own[i].value})
	}
	for _, f := range found {
		if len(text)+bytes.Count(text, []byte(f.value))*len(f.is) > maxMoved {
			return nil, fmt.Errorf("with the paths of this session it has more than %d MiB", maxMoved>>20)
		}
		text = bytes.ReplaceAll(text, []byte(f.value), []byte(f.is))
	}
	return text, nil
}

// namesOf are the names of places, the longest value first, as they are written in JSON.
func namesOf(places []model.Place) (all []name) {
	for _, p := range places {
		for _, n := range []name{
			{p.Cwd, "${cwd}"}, {p.Folder, "${session-folder}"}, {p.Home, "${home}"}, {p.Session, "${session}"}, {p.Agent, "${agent}"},
		} {
			quoted, _ := json.Marshal(n.value) // a string can be encoded
			if n.value = string(quoted[1 : len(quoted)-1]); len(n.value) > 1 {
				all = append(all, n)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b name) int { return cmp.Compare(len(b.value), len(a.value)) })
	return all
}

// replaceName replaces a value where it stands alone: not inside a longer word or path element.
func replaceName(body []byte, n name) []byte {
	var out []byte
	value := []byte(n.value)
	rest := body
	for {
		at := bytes.Index(rest, value)
		if at < 0 {
			break
		}
		end := at + len(value)
		alone := startsWord(body, len(body)-len(rest)+at) && (end == len(rest) || !inWord(rest[end]))
		out = append(out, rest[:at]...)
		if alone {
			out = append(out, n.is...)
		} else {
			out = append(out, value...)
		}
		rest = rest[end:]
	}
	if out == nil {
		return body
	}
	return append(out, rest...)
}

// startsWord reports whether the byte before body[at] is no part of the same word. The n of the
// escape of a line end is none.
func startsWord(body []byte, at int) bool {
	if at == 0 || !inWord(body[at-1]) {
		return true
	}
	return at > 1 && body[at-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), body[at-1]) >= 0
}

func inWord(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
