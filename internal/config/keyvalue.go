package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The functions below make [Key.of] of a field.

func textOf(field func(*Config) *Setting[string]) func(*Config) (any, string) {
	return func(c *Config) (any, string) { s := field(c); return shown(ShowURL(s.Value)), s.From }
}

func joinedOf(field func(*Config) *Setting[string]) func(*Config) (any, string) {
	return func(c *Config) (any, string) {
		s := field(c)
		if s.Value == "" {
			return nil, s.From
		}
		list := strings.Split(s.Value, ",")
		for i := range list {
			list[i] = ShowURL(strings.TrimSpace(list[i]))
		}
		return list, s.From
	}
}

func listOf(field func(*Config) *Setting[[]string]) func(*Config) (any, string) {
	return func(c *Config) (any, string) {
		s := field(c)
		if s.Value == nil {
			return nil, s.From
		}
		return s.Value, s.From
	}
}

func switchOf(field func(*Config) *Setting[bool]) func(*Config) (any, string) {
	return func(c *Config) (any, string) { s := field(c); return s.Value, s.From }
}

func numberOf(field func(*Config) *Setting[int]) func(*Config) (any, string) {
	return func(c *Config) (any, string) { s := field(c); return s.Value, s.From }
}

func cloudOf(field func(*Clouds) *Setting[string]) func(*Config) (any, string) {
	return func(c *Config) (any, string) {
		s := *field(&c.Clouds)
		if s.Value == "" {
			return nil, Unset
		}
		return s.Value, s.From
	}
}

// shown is a text, nil if it is empty.
func shown(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// rankOf ranks words in their order.
func rankOf(words ...string) func(Value) int {
	return func(v Value) int { return slices.Index(words, v.Text) }
}

// lower ranks limits: a lower one is stricter, and 0 is none.
func lower(v Value) int {
	n, err := strconv.Atoi(v.Text)
	if d, wrong := time.ParseDuration(v.Text); err != nil && wrong == nil {
		n = int(d / time.Millisecond)
	}
	if n == 0 {
		return math.MinInt
	}
	return -n
}

// given are the sources of settings, in their order: flags, the environment, files.
type given struct {
	flags Flags
	env   environment
	files []File // the nearest first
}

// file returns what files say for a key; From is [Unset] if they say nothing. [settle] has removed
// what does not count.
func (g given) file(k *Key) Value {
	for _, f := range g.files {
		if v, ok := f.values[k.Name]; ok {
			return v
		}
	}
	return Value{From: Unset}
}

// text is a setting that is a text, without a default.
func (g given) text(key, flagged string) Setting[string] {
	k := row(key)
	var sources []Setting[string]
	if len(k.Flags) > 0 {
		sources = append(sources, flag(k.Flags[0], flagged))
	}
	sources = append(sources, g.env.all(k.Variables)...)
	v := g.file(k)
	return first(append(sources, Setting[string]{k.textOf(v), v.From})...)
}

// textOf is a value as a flag or a variable has it.
func (k *Key) textOf(v Value) string {
	if k.Kind == List {
		return strings.Join(v.List, ",")
	}
	return v.Text
}

// on is a setting that is a switch.
func (g given) on(key string, flagged, otherwise bool) Setting[bool] {
	k := row(key)
	for _, name := range k.Flags {
		if flagged || g.flags.Given != nil && g.flags.Given(strings.TrimPrefix(name, "--")) {
			return flag(k.Flags[0], flagged)
		}
	}
	if v := g.file(k); v.From != Unset {
		return Setting[bool]{v.Text == "true", v.From}
	}
	return fallback(otherwise)
}

// list is a setting of which all sources count together.
func (g given) list(key string, flagged []string) Setting[[]string] {
	k := row(key)
	all := list(k.Flags[0], flagged)
	for _, f := range g.files {
		v, ok := f.values[key]
		switch {
		case !ok || len(v.List) == 0:
		case all.From == Unset:
			all = Setting[[]string]{v.List, v.From}
		default:
			all = Setting[[]string]{slices.Concat(all.Value, v.List), all.From + ", " + v.From}
		}
	}
	return all
}

// limit is a number, of which 0 is no limit. flagged is that of the flag.
func (g given) limit(key string, flagged int) Setting[int] {
	k := row(key)
	if flagged != 0 || g.flags.Given != nil && g.flags.Given(strings.TrimPrefix(k.Flags[0], "--")) {
		return flag(k.Flags[0], flagged)
	}
	if v := g.file(k); v.From != Unset {
		n, _ := strconv.Atoi(v.Text) // check has read it
		return Setting[int]{n, v.From}
	}
	return fallback(0)
}

// Budget are the limits of a run; 0 is none.
type Budget struct {
	Turns, Tokens Setting[int]
	Time          Setting[time.Duration]
}

// maxBudget bounds the limits of a run, which are 32-bit numbers on some machines.
const maxBudget = math.MaxInt32

func (g given) budget() Budget {
	b := Budget{Turns: g.limit("budget.maxTurns", g.flags.MaxTurns), Tokens: g.limit("budget.maxTokens", g.flags.MaxTokens), Time: fallback(time.Duration(0))}
	if v := g.file(row("budget.timeout")); v.From != Unset {
		d, _ := time.ParseDuration(v.Text) // check has read it
		b.Time = Setting[time.Duration]{d, v.From}
	}
	if f := g.flags; f.Timeout != 0 || f.Given != nil && f.Given("timeout") {
		b.Time = flag("--timeout", f.Timeout)
	}
	return b
}
