package page

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/diff"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Change is a file that has changed.
type Change struct {
	Path string // as it is shown
	Kind string // added, modified, deleted, renamed
	Diff string // unified; "" if it is left out
	Left string // why the diff is left out, such as "it is not text"
}

// Review is the changes of files, read once.
type Review struct {
	of       string
	changes  []Change
	commands Commands
	diffs    []*diff.Diff
}

// NewReview reads the diffs. of says what is compared, such as "with the last commit". commands may
// have changed further files.
func NewReview(of string, changes []Change, commands Commands) *Review {
	r := &Review{of: of, changes: changes, commands: commands, diffs: make([]*diff.Diff, len(changes))}
	for i, c := range changes {
		r.diffs[i] = diff.Parse(c.Diff)
	}
	return r
}

// List shows the files; the preview is the diff of the chosen one. The caller does ListChoose, which
// opens [Review.Pager] at the file, and ListView, which compares with something
// else.
func (r *Review) List(keys *keymap.Table) *list.List {
	l := list.New(list.Config{
		Title: "Changes", Enter: "read", Keys: keys,
		Empty:   "No file has changed.",
		Columns: []list.Column{{Right: true}, {Dim: true}},
		Preview: func(id string, width int) []row.Row {
			i, ok := r.index(id)
			if !ok {
				return nil
			}
			return r.rows(i, width, previewLines)
		},
		Actions: []list.Action{{Name: keymap.ListView, Text: "compare with", All: true}},
	})
	l.View, l.About = line(r.of), r.commands.line()
	items := make([]list.Item, len(r.changes))
	for i, c := range r.changes {
		items[i] = list.Item{ID: c.Path, Title: timeline.ExposedLine(c.Path, lineWidth), Columns: []string{changed(r.diffs[i].Counts()), line(c.Kind)}}
	}
	l.Set(items)
	return l
}

// previewLines bounds the lines of a diff in the preview: the pager has all.
const previewLines = 500

func (r *Review) index(path string) (int, bool) {
	for i, c := range r.changes {
		if c.Path == path {
			return i, true
		}
	}
	return 0, false
}

// rows are at most n lines of the diff of a file, folded.
func (r *Review) rows(i, width, n int) (rows []row.Row) {
	d := r.diffs[i]
	if d.Len() == 0 {
		return paragraphs("The diff is not shown: "+cmp.Or(r.changes[i].Left, "it is empty")+".", row.Dim, width)
	}
	for _, line := range d.Fold(width, 0, n) {
		rows = append(rows, line...)
	}
	if d.Len() > n {
		rows = append(rows, nil, row.Of(count(d.Len()-n, "more line", "more lines"), row.Dim))
	}
	return rows
}

// Pager shows the diffs of all files, from the one with that path on. The keys ← and → go from file
// to file.
func (r *Review) Pager(keys *keymap.Table, path string) *pager.Pager {
	source := newDiffs(r)
	p := pager.New("Changes", source, keys)
	p.Marks = "files"
	if i, ok := r.index(path); ok {
		p.Show(source.begins[i])
	}
	return p
}

// blockLines is how many lines of a diff are one item of the pager.
const blockLines = 40

// diffs is the source of all diffs: items are blocks of lines, so that a long diff is made as it is
// read.
type diffs struct {
	review *Review
	blocks []block
	begins []int // the first block of each file
}

type block struct{ file, from int }

func newDiffs(r *Review) *diffs {
	s := &diffs{review: r}
	for i, d := range r.diffs {
		s.begins = append(s.begins, len(s.blocks))
		s.blocks = append(s.blocks, block{i, 0})
		for from := blockLines; from < d.Len(); from += blockLines {
			s.blocks = append(s.blocks, block{i, from})
		}
	}
	return s
}

// Len implements [pager.Source].
func (s *diffs) Len() int { return len(s.blocks) }

// Mark implements [pager.Source].
func (s *diffs) Mark(i int) bool { return s.blocks[i].from == 0 }

// Rows implements [pager.Source].
func (s *diffs) Rows(i, width int) (rows []row.Row) {
	b := s.blocks[i]
	c, d := s.review.changes[b.file], s.review.diffs[b.file]
	if b.from == 0 {
		if b.file > 0 {
			rows = append(rows, nil)
		}
		head := row.Of(timeline.ExposedLine(c.Path, lineWidth), row.Heading).And("  "+line(c.Kind)+"  "+changed(d.Counts()), row.Dim)
		rows = append(rows, head.Wrap(width, nil)...)
	}
	if d.Len() == 0 {
		return append(rows, s.review.rows(b.file, width, 0)...)
	}
	for _, line := range d.Fold(width, b.from, blockLines) {
		rows = append(rows, line...)
	}
	return rows
}
