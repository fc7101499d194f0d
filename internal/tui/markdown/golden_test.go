package markdown

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = "testdata/" + name + ".golden"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, name), got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", name, diff)
	}
}

func TestGolden(t *testing.T) {
	source := read(t, "testdata/answer.md")
	for _, width := range []int{40, 80, 200} {
		golden(t, "answer."+strconv.Itoa(width), joined(Rows(source, width))+"\n")
	}
}

// The bytes for a terminal, with the escape character written as ␛.
func TestGoldenInColour(t *testing.T) {
	var b strings.Builder
	for _, r := range Rows(read(t, "testdata/answer.md"), 80) {
		fmt.Fprintln(&b, strings.ReplaceAll(row.Dark.Line(r), "\x1b", "␛"))
	}
	golden(t, "answer.dark", b.String())
}
