package toolsearch

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
)

const (
	mostSimilar = 3
	maxWords    = 64      // of a query
	maxText     = 8 << 10 // bytes of a description, and of all parameters, that are searched
	nameWeight  = 3       // a word of a name counts as often as that
	// The usual parameters of the ranking function BM25: how soon further occurrences of a word count less, and how much
	// shorter texts are preferred.
	saturation, shortness = 1.2, 0.75
)

// joining are words of a query that say nothing about a tool.
var joining = []string{"a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "with", "by", "from", "is", "it", "that", "i", "my", "me", "tool"}

// rank returns the tools that fit a query best, the best first, at most limit. A tool with the name that the query is,
// or that is one of its words, comes first. The order of equal ones is that of the tools. A tool that has none of the
// words is not among them.
func rank(tools []*offer.Tool, query string, limit int) []*offer.Tool {
	asked := words(query[:min(len(query), maxText)])
	if telling := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return slices.Contains(joining, w) }); len(telling) > 0 {
		asked = telling
	}
	asked = asked[:min(len(asked), maxWords)]
	texts, length := make([]map[string]float64, len(tools)), make([]float64, len(tools))
	seen, total := map[string]float64{}, 0.0
	for i, t := range tools {
		texts[i] = count(t)
		for _, n := range texts[i] {
			length[i] += n
		}
		for _, w := range asked {
			if texts[i][w] > 0 {
				seen[w]++
			}
		}
		total += length[i]
	}
	type scored struct {
		tool  *offer.Tool
		score float64
	}
	var fits []scored
	slices.Sort(asked)
	asked = slices.Compact(asked)
	for i, t := range tools {
		score := 0.0
		for _, w := range asked {
			n := texts[i][w]
			rare := math.Log(1 + (float64(len(tools))-seen[w]+0.5)/(seen[w]+0.5))
			score += rare * n * (saturation + 1) / (n + saturation*(1-shortness+shortness*length[i]*float64(len(tools))/max(total, 1)))
		}
		if names(t, query) {
			score = math.Inf(1)
		}
		if score > 0 {
			fits = append(fits, scored{t, score})
		}
	}
	slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []*offer.Tool
	for _, f := range fits[:min(len(fits), limit)] {
		out = append(out, f.tool)
	}
	return out
}

// names reports whether a query has the name of a tool as a word.
func names(t *offer.Tool, query string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(query, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;"'()`, r) }), func(w string) bool { return called(t, w) })
}

// called reports whether a tool has a name: its own, or the one by which models call it.
func called(t *offer.Tool, name string) bool {
	return t.Definition.Name == name || model.WireName(t.Definition.Name) == name
}

// count returns how often each word is in what is known of a tool.
func count(t *offer.Tool) map[string]float64 {
	d, n := &t.Definition, map[string]float64{}
	for _, w := range slices.Concat(words(d.Name), words(d.Title)) {
		n[w] += nameWeight
	}
	var parameters struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(d.Parameters, &parameters) // else they are not searched
	var text strings.Builder
	text.WriteString(bounded(d.Description) + " " + d.Server + " " + d.ServerTitle)
	size := text.Len() + maxText
	for _, name := range slices.Sorted(maps.Keys(parameters.Properties)) { // equal searches read the same part of a long list
		about, _ := parameters.Properties[name].Description.(string)
		if text.Len()+len(name)+len(about) < size {
			text.WriteString(" " + name + " " + about)
		}
	}
	for _, w := range words(text.String()) {
		n[w]++
	}
	return n
}

func bounded(text string) string { return text[:min(len(text), maxText)] }

// words returns the words of a text in lower case and without the endings of plurals. Names are divided where they change
// from lower to upper case.
func words(text string) (out []string) {
	lower := false
	var spaced strings.Builder
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && lower:
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	for w := range strings.FieldsSeq(spaced.String()) {
		out = append(out, singular(w))
	}
	return out
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}
