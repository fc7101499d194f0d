package tool

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

const (
	// headLimit is how many lines an answer has if the model does not say;
	// maxHeadLimit is the most it can say.
	headLimit    = 500
	maxHeadLimit = 10_000
	// maxContext bounds the lines shown around a match, on each side.
	maxContext = 100
)

var grepDefinition = described{name: fact.Grep}

// grep finds text in files.
type grep struct{ w Workspace }

type grepArgs struct {
	Pattern   string `json:"pattern"`
	Path      string `json:"path"`
	Glob      string `json:"glob"`
	Type      string `json:"type"`
	Mode      string `json:"output_mode"`
	Numbers   *bool  `json:"-n"`
	Fold      bool   `json:"-i"`
	After     int    `json:"-A"`
	Before    int    `json:"-B"`
	Around    int    `json:"-C"`
	Multiline bool   `json:"multiline"`
	Limit     int    `json:"head_limit"`
}

func (grep) Definition() Definition { return grepDefinition.Get() }

func (t grep) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[grepArgs](c)
	if bad != nil {
		return nil, bad
	}
	if _, err := args.query(); err != nil {
		r := failure("%v", err)
		return nil, &r
	}
	return readRequest(t.w, c, folder(args.Path), "Search for "+oneLine(args.Pattern)+" in: ")
}

// query checks the arguments that are not about files.
func (a grepArgs) query() (query, error) {
	switch {
	case a.Type != "" && namesOf(a.Type) == nil:
		return query{}, fmt.Errorf("type %q is not known; use one of %s, or glob", a.Type, strings.Join(kinds(), ", "))
	case !doublestar.ValidatePattern(strings.TrimPrefix(a.Glob, "!")):
		return query{}, fmt.Errorf("glob %q is not valid: a bracket or brace is not closed, or it ends in a backslash", a.Glob)
	case a.After < 0 || a.Before < 0 || a.Around < 0 || a.Limit < 0:
		return query{}, fmt.Errorf("-A, -B, -C and head_limit cannot be negative")
	}
	return compile(a.Pattern, a.Fold, a.Multiline)
}

// wants reports whether a file has the type and name that the call asks for. rel is its
// path below the searched folder.
func (a grepArgs) wants(rel string) bool {
	if a.Type != "" && !matchesName(namesOf(a.Type), rel) {
		return false
	}
	names, not := strings.CutPrefix(a.Glob, "!")
	return names == "" || matchesName([]string{names}, rel) != not
}

// matchesName matches patterns with a slash against the path, others against the
// last name.
func matchesName(patterns []string, rel string) bool {
	for _, p := range patterns {
		name := rel
		if p = strings.TrimPrefix(p, "./"); !strings.Contains(p, "/") {
			name = path.Base(rel)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(p, "/"), name) {
			return true
		}
	}
	return false
}

func (t grep) Run(ctx context.Context, c Call) Result {
	args, bad := decode[grepArgs](c)
	if bad != nil {
		return *bad
	}
	q, err := args.query()
	if err != nil {
		return failure("%v", err)
	}
	at, bad := permitted(t.w, c, folder(args.Path))
	if bad != nil {
		return *bad
	}
	timed, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	s := newScan(q, args)
	s.withholds = c.Permitted.Withholds
	if stored := t.w.Stored(args.Path); stored != nil {
		err = s.stored(timed, stored, args.Path)
	} else {
		err = s.onDisk(timed, at.Real, args)
	}
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return failure("%s", about(err, at.Name))
	}
	return success(s.answer(timed))
}
