package agent

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Files of agents for other programs name models in words of these programs: a family ("haiku"), "inherit", or the
// name that an editor shows ("GPT-5 (copilot)"). No provider knows such a word, so it is never sent.

// Listed is a model that a provider lists.
type Listed struct{ ID, Name string }

// families are the families of models that a file may name. Source: Claude Code's documentation of its settings for
// models.
var families = []string{"opus", "sonnet", "haiku", "fable"}

// IsWord reports whether the name of a model has to be found in the list of a provider before it can be called.
func IsWord(name string) bool {
	return slices.Contains(families, familyOf(name)) || isOfSession(name) ||
		slices.Contains([]string{"best", "opusplan"}, strings.ToLower(name)) || strings.ContainsAny(name, " (")
}

// isOfSession reports whether a name means the model of the session.
func isOfSession(name string) bool {
	return name == "" || strings.EqualFold(name, "inherit") || strings.EqualFold(name, "default")
}

// familyOf is a name in lower case, without the mark of a large window.
func familyOf(name string) string { return strings.TrimSuffix(strings.ToLower(name), "[1m]") }

// FindModel returns the model that a name means: the name itself if it is no word; else what the user has chosen for
// that word, the newest model of that family, or the model that a provider lists under that name. chosen is by word. ""
// is the model of the session; found is false if that is only because there is no such model.
func FindModel(name string, chosen map[string]string, listed []Listed) (id string, found bool) {
	name = strings.TrimSpace(name)
	if strings.Contains(name, listMark) {
		for one := range strings.SplitSeq(name, listMark) {
			if id, found = firstOf(one, chosen, listed); found {
				break
			}
		}
		return id, found
	}
	switch word := familyOf(name); {
	case isOfSession(name):
		return "", true
	case !IsWord(name):
		return name, true
	case chosen[word] != "":
		return chosen[word], true
	case slices.Contains(families, word):
		id = newest(word, listed)
	default:
		id = shown(name, listed)
	}
	return id, id != ""
}

// listMark stands between the names of a list of models, of which the first counts that the provider has. A name with it
// is a word, because it has a space.
const listMark = ", "

// ModelList is several names of models as the one name of [Definition.Model].
func ModelList(names []string) string { return strings.Join(names, listMark) }

// firstOf is [FindModel] for a name of a list: it counts only if the provider lists it, also if it is no word.
func firstOf(name string, chosen map[string]string, listed []Listed) (id string, found bool) {
	if name = strings.TrimSpace(name); name == "" {
		return "", false
	}
	if IsWord(name) {
		return FindModel(name, chosen, listed)
	}
	id = shown(name, listed)
	return id, id != ""
}

// shown returns the model that an editor shows under a name: "GPT-5 (copilot)" is "gpt-5".
func shown(name string, listed []Listed) string {
	plain := func(s string) string {
		s, _, _ = strings.Cut(s, "(")
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	for _, m := range listed {
		if want := plain(name); want != "" && (plain(m.ID) == want || plain(m.Name) == want) {
			return m.ID
		}
	}
	return ""
}

// newest returns the newest model of a family of Claude, "" if there is none. Of two with one version it is the one
// with the later date, and then the one with the shorter id, which is that of no variant.
func newest(family string, listed []Listed) (id string) {
	var best []int
	for _, m := range listed {
		words := strings.FieldsFunc(strings.ToLower(m.ID), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if !slices.Contains(words, family) || !slices.Contains(words, "claude") {
			continue
		}
		is := version(words)
		if order := slices.Compare(is, best); id == "" || order > 0 || order == 0 && len(m.ID) < len(id) {
			id, best = m.ID, is
		}
	}
	return id
}

// version returns the numbers of a model's id: two of the version, and the date.
func version(words []string) []int {
	is, at := []int{0, 0, 0}, 0
	for _, w := range words {
		switch n, err := strconv.Atoi(w); {
		case err != nil:
		case len(w) >= 6:
			is[2] = n
			return is
		case at < 2:
			is[at] = n
			at++
		}
	}
	return is
}
