package e2e_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateDialects = flag.Bool("update-dialects", false, "write the table of dialects in docs/models.md anew")

// The table is between these lines of the page; the rest of it is written by hand.
const (
	modelsPage  = "../docs/models.md"
	tableBegins = "<!-- The table of dialects: go test ./e2e -run TestDialects -update-dialects -->\n"
	tableEnds   = "<!-- End of the table of dialects. -->\n"
)

// Every dialect passes the same table, in real sessions of the real program, against fakes that
// check requests as the vendors do. docs/models.md shows it.
func TestDialects(t *testing.T) {
	rows := append(append(append([]dialectRow{}, answerRows...), failureRows...), samplingRows...)
	cells := make([][]string, len(rows))
	for _, c := range columns {
		t.Run(c.title, func(t *testing.T) {
			s := newDialectStage(t, c)
			for i, row := range rows {
				cell, ok := c.lacks[row.title], true
				if cell == "" {
					ok = t.Run(row.title, func(t *testing.T) {
						defer s.settle(t)
						cell = row.run(t, s)
					})
				}
				if !ok {
					cell = "no"
				}
				cells[i] = append(cells[i], cell)
			}
		})
	}
	if len(cells[0]) == len(columns) { // -run may have left some out
		checkDialects(t, dialectTable(rows, cells))
	}
}

// Models with other parameters pass the same table.
func TestDialectsOfOlderModels(t *testing.T) {
	rows := append(append([]dialectRow{}, answerRows...), failureRows...)
	for _, c := range older {
		t.Run(c.title, func(t *testing.T) {
			s := newDialectStage(t, c)
			for _, row := range rows {
				if c.lacks[row.title] != "" {
					continue
				}
				t.Run(row.title, func(t *testing.T) {
					defer s.settle(t)
					row.run(t, s)
				})
			}
		})
	}
}

func dialectTable(rows []dialectRow, cells [][]string) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for i, row := range rows {
		b.WriteString("| " + row.title + " | " + strings.Join(cells[i], " | ") + " |\n")
	}
	return b.String()
}

// checkDialects compares the page with the table.
func checkDialects(t *testing.T, table string) {
	t.Helper()
	page, err := os.ReadFile(modelsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), tableBegins)
	old, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", modelsPage)
	}
	if *updateDialects {
		old = "\n" + table + "\n"
		if err := os.WriteFile(modelsPage, []byte(before+tableBegins+old+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(strings.TrimSpace(old), strings.TrimSpace(table)); d != "" {
		t.Errorf("%s is out of date; run go test ./e2e -run TestDialects -update-dialects:\n%s", modelsPage, d)
	}
}
