package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

const (
	// checkpointsFolder holds one text for each time that the conversation was summarized.
	checkpointsFolder = "checkpoints"
	// checkpointIndex lists them, one per line: "| number | title | file |".
	checkpointIndex = checkpointsFolder + "/index.md"
	// emptyIndex is that list without checkpoints.
	emptyIndex = "# Checkpoints\n\n| # | Title | File |\n|---|---|---|\n"
	// maxIndex bounds that list, in bytes.
	maxIndex = 1 << 20
)

var (
	// indexRow matches the line of a checkpoint in the index, indexName the name of a
	// checkpoint. Other files in the folder are not read.
	indexRow = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^\| *([0-9]{1,9}) *\| *(.*?) *\| *([^|]+?) *\|$`)
	}}
	indexName = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*\.md$`) }}
)

// Checkpoint is a row of the index.
type Checkpoint struct {
	Number int64 // from 1
	Title  string
	File   string // name in the folder of checkpoints
}

// Checkpoints lists the session's checkpoints, the oldest first.
func (w *Workspace) Checkpoints(ctx context.Context) ([]Checkpoint, error) {
	index, err := w.files.Read(ctx, checkpointIndex, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = checkText(index, maxIndex)
	}
	return parseIndex(string(index)), w.fail("session.workspaces.listCheckpoints", "the index of checkpoints", err)
}

// Checkpoint returns the text of a checkpoint; exists reports whether it exists.
func (w *Workspace) Checkpoint(ctx context.Context, number int64) (text string, exists bool, err error) {
	list, err := w.Checkpoints(ctx)
	i := slices.IndexFunc(list, func(c Checkpoint) bool { return c.Number == number })
	if err != nil || i < 0 {
		return "", false, err
	}
	name := path.Join(checkpointsFolder, list[i].File)
	data, err := w.files.Read(ctx, name, maxFile)
	if err == nil {
		err = checkText(data, maxFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, w.fail("session.workspaces.readCheckpoint", name, err)
}

// parseIndex reads the rows of an index. Other lines are ignored.
func parseIndex(index string) (list []Checkpoint) {
	for line := range strings.Lines(index) {
		row := indexRow.Get().FindStringSubmatch(strings.TrimSpace(line))
		if row == nil || !indexName.Get().MatchString(row[3]) {
			continue
		}
		number, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			continue // cannot happen: at most nine digits
		}
		list = append(list, Checkpoint{Number: number, Title: strings.ReplaceAll(row[2], `\|`, "|"), File: row[3]})
	}
	slices.SortStableFunc(list, func(a, b Checkpoint) int { return int(a.Number - b.Number) })
	return list
}

// AddCheckpoint stores a text as the next checkpoint, and returns its number and its path
// for programs. The text is stored before it is listed in the index.
func (w *Workspace) AddCheckpoint(ctx context.Context, title, text string) (number int64, at string, err error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	index, err := w.files.Read(ctx, checkpointIndex, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		index, err = []byte(emptyIndex), nil
	}
	if list := parseIndex(string(index)); len(list) > 0 {
		number = list[len(list)-1].Number
	}
	number++
	name := path.Join(checkpointsFolder, fmt.Sprintf("%03d%s.md", number, slug(title)))
	if err == nil {
		_, err = w.files.Write(ctx, name, []byte(text), Durable)
	}
	if err == nil {
		title = strings.ReplaceAll(strings.Join(strings.Fields(title), " "), "|", `\|`)
		index = fmt.Appendf(index, "| %d | %s | %s |\n", number, title, path.Base(name))
		_, err = w.files.Write(ctx, checkpointIndex, index, Durable)
	}
	return number, w.files.Path(name), w.fail("session.checkpoint", "a checkpoint", err)
}

// BeginCheckpoints makes the index of checkpoints if there is none.
func (w *Workspace) BeginCheckpoints(ctx context.Context) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err := w.files.Read(ctx, checkpointIndex, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = w.files.Write(ctx, checkpointIndex, []byte(emptyIndex), Derived)
	}
	return w.fail("session", checkpointIndex, err)
}

// slug returns the part of a file's name that comes from the title: "-" and at most 40
// letters and digits, or nothing.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < '0' || '9' < r)
	})
	s := strings.Join(words, "-")
	if s == "" {
		return ""
	}
	return "-" + strings.TrimRight(s[:min(len(s), 40)], "-")
}
