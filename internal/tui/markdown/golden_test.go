package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

func TestGolden(t *testing.T) {
	source := read(t, "testdata/answer.md")
	for _, width := range []int{40, 80, 200} {
		golden.Text(t, "answer."+strconv.Itoa(width), joined(Rows(source, width))+"\n")
	}
}

// The bytes for a terminal, with the escape character written as ␛.
func TestGoldenInColour(t *testing.T) {
	var b strings.Builder
	for _, r := range Rows(read(t, "testdata/answer.md"), 80) {
		fmt.Fprintln(&b, strings.ReplaceAll(row.Dark.Line(r), "\x1b", "␛"))
	}
	golden.Text(t, "answer.dark", b.String())
}
