package prompt

import (
	"fmt"
	"strconv"
	"strings"
)

// Checkpoint is a summary that was kept as a file, in the folder checkpoints of a
// session.
type Checkpoint struct {
	// Number counts from 1.
	Number int
	Title  string
	// File is its name in the folder.
	File string
}

// NewCheckpoint names the file for a summary.
func NewCheckpoint(number int, s Summary) Checkpoint {
	title := strings.NewReplacer("[", "(", "]", ")").Replace(s.Title)
	file := fmt.Sprintf("%03d", number)
	if name := slug(title); name != "" {
		file += "-" + name
	}
	return Checkpoint{number, title, file + ".md"}
}

// Content is what the file holds.
func (c Checkpoint) Content(s Summary) string { return "# " + c.Title + "\n\n" + s.Text + "\n" }

const indexHead = "# Checkpoints\n\nSummaries of this session, the oldest first.\n\n"

// CheckpointIndex is what checkpoints/index.md holds.
func CheckpointIndex(list []Checkpoint) string {
	var b strings.Builder
	b.WriteString(indexHead)
	for _, c := range list {
		fmt.Fprintf(&b, "%d. [%s](%s)\n", c.Number, c.Title, c.File)
	}
	return b.String()
}

// ParseCheckpointIndex reads an index back. Lines that are none of ours are passed
// over, as are files that would lie elsewhere.
func ParseCheckpointIndex(text string) []Checkpoint {
	var out []Checkpoint
	for line := range strings.Lines(text) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ". [")
		title, file, ok := strings.Cut(strings.TrimSuffix(rest, ")"), "](")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 || file == "" || strings.ContainsAny(file, `/\`) || strings.HasPrefix(file, ".") {
			continue
		}
		out = append(out, Checkpoint{n, title, file})
	}
	return out
}
