package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// The bounds of a difference as it is shown: lines before and after, and characters of a line.
const (
	linesAround = 2
	shownLine   = 160
)

// explain says how a request that has no recorded answer differs from the recording: which recorded
// call is most like it, and where the first difference is.
func (p *Player) explain(ctx context.Context, live *call) string {
	near, form := p.similar(ctx, live)
	head := fmt.Sprintf("replay: the request %s %s is not in the recording %s", live.Request.Method, live.Request.URL, p.path)
	p.mu.Lock()
	used := near != nil && near.used
	p.mu.Unlock()
	switch {
	case len(p.all) == 0:
		return head + ", which has no calls of a model"
	case near == nil:
		return head + "\nrecorded are only calls of " + p.addresses()
	case !maps.Equal(near.Request.Headers, live.Request.Headers):
		return fmt.Sprintf("%s\nmost like it is call %d of the recording; the headers differ:\n- %s\n+ %s",
			head, near.number, headers(near.Request.Headers), headers(live.Request.Headers))
	case bytes.Equal(near.normal, form):
		return fmt.Sprintf("%s once more: call %d was like it, and has been answered", head, near.number)
	}
	note := ""
	if used {
		note = ", which has been answered"
	}
	return fmt.Sprintf("%s\nmost like it is call %d of the recording%s; the first difference (- recorded, + now):\n%s",
		head, near.number, note, difference(near.normal, form))
}

// similar is the recorded call of the same method and address that has most of the beginning of a live
// one, one that has not been answered before others, and the live body as it is compared with that; nil if
// there is none.
func (p *Player) similar(ctx context.Context, live *call) (near *recorded, form []byte) {
	most, nearUsed := 0, false
	for g, compared := range p.forms(ctx, live.Place, live.Request.bytes()) {
		for _, r := range g.calls {
			if r.Request.Method != live.Request.Method || r.Request.URL != live.Request.URL {
				continue
			}
			p.mu.Lock()
			used := r.used
			p.mu.Unlock()
			n := common(r.normal, compared)
			better := near == nil || nearUsed && !used || nearUsed == used && (n > most || n == most && r.number < near.number)
			if better {
				near, form, most, nearUsed = r, compared, n, used
			}
		}
	}
	return near, form
}

// shownAddresses is how many addresses an error names.
const shownAddresses = 10

// addresses are those that were called, each once, in words.
func (p *Player) addresses() string {
	known := map[string]bool{}
	var all []string
	for _, r := range p.all {
		if to := r.Request.Method + " " + r.Request.URL; !known[to] {
			known[to] = true
			all = append(all, around(to, 0))
		}
	}
	if n := len(all) - shownAddresses; n > 0 {
		all = append(all[:shownAddresses], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, ", ")
}

func headers(h map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		list = append(list, name+": "+h[name])
	}
	return fault.Bounded(strings.Join(list, ", "))
}

// difference shows the first difference of two bodies.
func difference(recorded, live []byte) string {
	a, b, ok := decoded(recorded, live)
	if ok {
		if d := differing("", a, b); d != nil {
			return d.text()
		}
	}
	return (&differs{"the body", string(recorded), string(live)}).text()
}

func decoded(recorded, live []byte) (a, b any, ok bool) {
	return a, b, unmarshal(recorded, &a) == nil && unmarshal(live, &b) == nil
}

// unmarshal keeps numbers as they are written.
func unmarshal(data []byte, v *any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}

// differs is a place in two JSON values where they differ.
type differs struct {
	path           string
	recorded, live any // absent{} if there is nothing
}

type absent struct{}

// differing finds the first difference of two JSON values; nil if there is none.
func differing(path string, a, b any) *differs {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return differingMembers(path, x, y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return differingElements(path, x, y)
		}
	case string, json.Number, bool, nil:
		if a == b {
			return nil
		}
	}
	return &differs{path, a, b}
}

func differingMembers(path string, a, b map[string]any) *differs {
	names := slices.Sorted(maps.Keys(a))
	for _, n := range slices.Sorted(maps.Keys(b)) {
		if _, known := a[n]; !known {
			names = append(names, n)
		}
	}
	for _, n := range names {
		if d := differing(joined(path, n), member(a, n), member(b, n)); d != nil {
			return d
		}
	}
	return nil
}

func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return absent{}
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func differingElements(path string, a, b []any) *differs {
	for i := range max(len(a), len(b)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(a):
			return &differs{at, absent{}, b[i]}
		case i >= len(b):
			return &differs{at, a[i], absent{}}
		}
		if d := differing(at, a[i], b[i]); d != nil {
			return d
		}
	}
	return nil
}

// text shows both values; of long texts the lines around the first difference.
func (d *differs) text() string {
	a, b := strings.Split(shown(d.recorded), "\n"), strings.Split(shown(d.live), "\n")
	n := 0
	for n < len(a)-1 && n < len(b)-1 && a[n] == b[n] {
		n++
	}
	var out strings.Builder
	out.WriteString("at " + fault.Bounded(d.path))
	if n > 0 {
		fmt.Fprintf(&out, ", line %d", n+1)
	}
	from := differAt(a[n], b[n])
	for _, line := range a[max(0, n-linesAround):n] {
		out.WriteString("\n  " + around(line, 0))
	}
	out.WriteString("\n- " + around(a[n], from) + "\n+ " + around(b[n], from))
	rest := b[n+1:]
	if d.live == any(absent{}) {
		rest = a[n+1:]
	}
	for _, line := range rest[:min(linesAround, len(rest))] {
		out.WriteString("\n  " + around(line, 0))
	}
	return out.String()
}

// shown is a value as it is printed: a string as it is, nothing in words, any other value as JSON.
func shown(v any) string {
	switch v := v.(type) {
	case absent:
		return "(nothing)"
	case string:
		return v
	}
	text, err := encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(string(text))
}

func differAt(a, b string) int { return common([]byte(a), []byte(b)) }

// around is a line near a byte, cut at characters.
func around(line string, at int) string {
	from, to := max(0, at-shownLine/2), len(line)
	if len(line) <= shownLine {
		from = 0
	}
	to = min(to, from+shownLine)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}

var _ model.Transport = (*Player)(nil)
