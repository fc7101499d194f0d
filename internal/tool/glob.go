package tool

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tree"
)

const (
	// maxFound bounds the paths of one answer.
	maxFound = 1000
	// maxSearch is how long one search may take.
	maxSearch = 30 * time.Second
)

var globDefinition = described{name: fact.Glob}

// Search returns the tools that find files and text: grep, glob, in this order.
func Search(w Workspace) []Tool { return []Tool{grep{w}, glob{w}} }

// glob finds files by name.
type glob struct{ w Workspace }

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (glob) Definition() Definition { return globDefinition.Get() }

func (t glob) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[globArgs](c)
	if bad != nil {
		return nil, bad
	}
	if why := unusable(args.Pattern); why != "" {
		r := failure("%s", why)
		return nil, &r
	}
	if bad := unreachable(t.w, args.Path); bad != nil {
		return nil, bad
	}
	return readRequest(t.w, c, folder(args.Path), "Find files named "+oneLine(args.Pattern)+" in: ")
}

// unusable says why a pattern can never match anything.
func unusable(pattern string) string {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return "The pattern " + pattern + " is not valid: a bracket or brace is not closed, or it ends in a backslash."
	case strings.HasPrefix(pattern, "/"):
		return "The pattern " + pattern + " is absolute; give the folder as path and a pattern below it."
	case strings.Contains("/"+pattern+"/", "/../"):
		return "The pattern " + pattern + " leads out of the folder; give the folder to look in as path."
	}
	return ""
}

func (t glob) Run(ctx context.Context, c Call) Result {
	args, bad := decode[globArgs](c)
	if bad != nil {
		return *bad
	}
	at, bad := permitted(t.w, c, folder(args.Path))
	if bad != nil {
		return *bad
	}
	switch info, err := os.Lstat(at.Real); {
	case err != nil:
		return failure("%s", reason(err, at.Name))
	case !info.IsDir():
		return failure("%s is not a folder; give the folder to look in as path.", at.Name)
	}
	within, err := tree.Open(at.Real)
	if err != nil {
		return failure("%s", about(err, at.Name))
	}
	defer within.Close()
	timed, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	pattern, prefix := strings.TrimPrefix(args.Pattern, "./"), under(args.Path)
	var found []string
	within.Each(timed, func(_ *os.Root, rel string, _ fs.DirEntry) bool {
		if doublestar.MatchUnvalidated(pattern, rel) {
			found = append(found, prefix+filepath.FromSlash(rel))
		}
		return len(found) <= maxFound
	})
	if ctx.Err() != nil {
		return interrupted()
	}
	more := len(found) > maxFound
	return success(answer(found[:min(len(found), maxFound)], "No files found.", curtailed(within, timed, more, maxFound)))
}

// folder is the path of a search: the working directory if none is given.
func folder(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// under is the prefix of the paths of an answer: the path as the model gave it, so that it
// can use the results unchanged.
func under(path string) string {
	if path == "" || filepath.Clean(path) == "." {
		return "." + string(filepath.Separator)
	}
	return strings.TrimSuffix(filepath.Clean(path), string(filepath.Separator)) + string(filepath.Separator)
}

// oneLine makes a pattern readable on one line of a terminal.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:80]) + "…"
	}
	return s
}

// curtailed says why an answer is incomplete; empty if it is complete.
func curtailed(t *tree.Tree, timed context.Context, more bool, shown int) string {
	switch {
	case more:
		return noted("Only the first %d are shown. Search in a folder further down, or with a narrower pattern.", shown)
	case timed.Err() != nil:
		return noted("The search was stopped after %v; there may be more. Search in a folder further down.", maxSearch)
	case t.Full:
		return noted("Not all was searched: it is more than %d files and folders, or more than %d folders in one another. Search in a folder further down.", tree.MaxWalked, tree.MaxDepth)
	}
	return ""
}

func answer(lines []string, none, note string) string {
	if len(lines) == 0 {
		return none + note
	}
	return strings.Join(lines, "\n") + note
}
