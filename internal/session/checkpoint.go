package session

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// checkpointsFolder holds a text for each time that the conversation was
	// summed up: what was going on until then.
	checkpointsFolder = "checkpoints"
	// checkpointIndex lists them, one a line: "| number | title | file |".
	checkpointIndex = "index.md"
	// maxIndex bounds that list, in bytes.
	maxIndex = 1 << 20
)

var (
	// indexRow is a line of the index about a checkpoint, indexName the name of one:
	// nothing else in the folder is read.
	indexRow  = regexp.MustCompile(`^\| *([0-9]{1,9}) *\| *(.*?) *\| *([^|]+?) *\|$`)
	indexName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*\.md$`)
)

// Checkpoints lists the session's checkpoints, the oldest first.
func (s *Session) Checkpoints() (list []wire.Checkpoint, err error) {
	err = s.inFolder(checkpointsFolder, func(dir vfs.Rooted) error {
		index, err := readText(dir, checkpointIndex, maxIndex)
		list = parseIndex(string(index))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // none was made
	}
	return list, s.onFile("session.workspaces.listCheckpoints", "the index of checkpoints", err)
}

// Checkpoint returns the text of a checkpoint; exists says whether there is one of
// that number.
func (s *Session) Checkpoint(number int64) (text string, exists bool, err error) {
	const op = "session.workspaces.readCheckpoint"
	list, err := s.Checkpoints()
	i := slices.IndexFunc(list, func(c wire.Checkpoint) bool { return c.Number == number })
	if err != nil || i < 0 {
		return "", false, err
	}
	err = s.inFolder(checkpointsFolder, func(dir vfs.Rooted) error {
		data, err := readText(dir, list[i].Filename, maxFile)
		text = string(data)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return text, err == nil, s.onFile(op, path.Join(checkpointsFolder, list[i].Filename), err)
}

// parseIndex reads the rows of an index. What is no row is for people.
func parseIndex(index string) (list []wire.Checkpoint) {
	for line := range strings.Lines(index) {
		row := indexRow.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil || !indexName.MatchString(row[3]) {
			continue
		}
		number, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			continue // cannot happen: it is at most nine digits
		}
		list = append(list, wire.Checkpoint{Number: number, Title: strings.ReplaceAll(row[2], `\|`, "|"), Filename: row[3]})
	}
	slices.SortStableFunc(list, func(a, b wire.Checkpoint) int { return int(a.Number - b.Number) })
	return list
}

// addCheckpoint keeps a text as the next checkpoint and returns its number and where
// it is. The text is on disk before the index names it.
func (s *Session) addCheckpoint(title, text string) (number int64, file string, err error) {
	const op = "session.checkpoint"
	folder := filepath.Join(s.dir, checkpointsFolder)
	if err := vfs.MkdirAllSync(s.reg.opts.FS, folder, 0o700); err != nil {
		return 0, "", s.onFile(op, "the folder of checkpoints", err)
	}
	err = s.inFolder(checkpointsFolder, func(dir vfs.Rooted) error {
		index, err := readText(dir, checkpointIndex, maxIndex)
		if errors.Is(err, fs.ErrNotExist) {
			index, err = []byte("# Checkpoints\n\n| # | Title | File |\n|---|---|---|\n"), nil
		}
		if err != nil {
			return err
		}
		if list := parseIndex(string(index)); len(list) > 0 {
			number = list[len(list)-1].Number
		}
		number++
		file = fmt.Sprintf("%03d%s.md", number, slug(title))
		if err := vfs.WriteFileAtomic(dir, file, []byte(text), 0o600); err != nil {
			return err
		}
		title = strings.ReplaceAll(strings.Join(strings.Fields(title), " "), "|", `\|`)
		index = fmt.Appendf(index, "| %d | %s | %s |\n", number, title, file)
		return vfs.WriteFileAtomic(dir, checkpointIndex, index, 0o600)
	})
	return number, filepath.Join(folder, file), s.onFile(op, "a checkpoint", err)
}

// slug is what of a title can stand in a file's name: "-" and at most 40 letters and
// digits, or nothing.
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
