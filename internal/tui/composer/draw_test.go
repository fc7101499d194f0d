package composer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// drawn is the rows of the box and its completion, with the cursor as a bar.
func drawn(c *Composer, width, height int) string {
	rows, at := c.Rows(width, height)
	var b strings.Builder
	for i, r := range rows {
		text := bold(r)
		if i == at.Row {
			text = r.String()
			text = withCursor(text, at.Column)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(text, " "))
	}
	for _, r := range c.Popup(width) {
		b.WriteString(bold(r) + "\n")
	}
	return b.String()
}

// bold is the text of a row, with what is in bold or underlined between asterisks.
func bold(r row.Row) string {
	var b strings.Builder
	for _, s := range r {
		if s.Style.Is(row.Bold) || s.Style.Is(row.Underline) {
			b.WriteString("*" + s.Text + "*")
		} else {
			b.WriteString(s.Text)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func withCursor(s string, column int) string {
	i := 0
	for i < len(s) && width(s[:i]) < column {
		i = next(s, i)
	}
	return s[:i] + strings.Repeat(" ", max(column-width(s[:i]), 0)) + "|" + s[i:]
}

const prose = "Please rename the function that wraps rows, and say in its comment what happens to a word that is wider than a row: " +
	"https://example.com/a/very/long/address/that/no/row/of/forty/columns/can/hold?and=more."

func TestRows(t *testing.T) {
	shot := Attachment{Name: "shot.png", Image: true}
	for _, tc := range []struct {
		name string
		make func(c *Composer)
	}{
		{"empty", func(*Composer) {}},
		{"shell", func(c *Composer) { press(t, c, "!git status") }},
		{"prose", func(c *Composer) { press(t, c, prose+"<alt+b><alt+b>") }},
		{"lines", func(c *Composer) {
			press(t, c, "func main() {<ctrl+j>\tif x {<ctrl+j>\t\treturn<ctrl+j>\t}<ctrl+j>}<up><up><end>")
		}},
		{"spaces", func(c *Composer) { press(t, c, "A row that ends in many spaces"+strings.Repeat(" ", 20)+"x<left>") }},
		{"full", func(c *Composer) { press(t, c, strings.Repeat("0123456789", 4)[:37]) }},
		{"wide", func(c *Composer) {
			press(t, c, "漢字かな交じり文を書いて、幅が正しく測られることを確かめる。絵文字も👨‍👩‍👧🇩🇪👍🏽ある。")
		}},
		{"marks", func(c *Composer) {
			press(t, c, "e\u0301te\u0301 Zu\u0308rich न\u0939\u093f\u0928\u094d\u0926\u0940<left>")
		}},
		{"right to left", func(c *Composer) { press(t, c, "שלום עולם, مرحبا بالعالم") }},
		{"paste", func(c *Composer) {
			press(t, c, "Look at this log: ")
			c.Paste(strings.Repeat("line\n", 300))
			c.Attach(shot)
			press(t, c, "and say what is wrong with the clock of the second machine.")
		}},
		{"files", func(c *Composer) { press(t, c, "see @row") }},
		{"commands", func(c *Composer) { press(t, c, "/mo<down>") }},
		{"search", func(c *Composer) { press(t, c, "<ctrl+r>fix") }},
		{"search fails", func(c *Composer) { press(t, c, "<ctrl+r>fixx") }},
	} {
		var b strings.Builder
		for _, w := range []int{40, 80, 200} {
			c := offering()
			c.Placeholder = "Ask, or type / for commands, @ for files, ! for a shell command, ? for the keys"
			c.SetHistory([]string{"fix the test\nand say why", "other"})
			c.Rows(w, 8)
			tc.make(c)
			fmt.Fprintf(&b, "-- %d --\n%s", w, drawn(c, w, 8))
		}
		golden.Text(t, strings.ReplaceAll(tc.name, " ", "-"), b.String())
	}
}

// A text with more rows than there is room for is shown around the cursor.
func TestScrolling(t *testing.T) {
	c := &Composer{}
	for i := range 9 {
		press(t, c, fmt.Sprintf("line %d<ctrl+j>", i))
	}
	press(t, c, "end")
	var b strings.Builder
	for _, keys := range []string{"", "<up><up><up><up>", "<ctrl+home>", "<down><down>", "<down>", "<ctrl+end>", "<ctrl+w><backspace>"} {
		press(t, c, keys)
		fmt.Fprintf(&b, "-- %s --\n%s", keys, drawn(c, 40, 4))
	}
	fmt.Fprintf(&b, "-- one row --\n%s-- taller --\n%s", drawn(c, 40, 1), drawn(c, 40, 20))
	golden.Text(t, "scrolling", b.String())
}
