package replay

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// columns prints texts side by side.
type columns struct {
	out   io.Writer
	look  terminal.Paint
	width int // of the screen
}

// between separates the two columns.
const between = " │ "

// half is the width of one column.
func (c *columns) half() int { return max((c.width-timeline.Width(between))/2, 10) }

// rule prints a line over the whole width.
func (c *columns) rule() error {
	return c.print(c.look.Dim(strings.Repeat("─", 2*c.half()+timeline.Width(between))))
}

// heading prints the message of the user.
func (c *columns) heading(number int, prompt string) error {
	if err := c.rule(); err != nil {
		return err
	}
	label := fmt.Sprintf("%d> ", number)
	for line := range strings.SplitSeq(strings.TrimSpace(timeline.Harmless(prompt)), "\n") {
		for _, row := range wrapped(line, c.width-len(label)) {
			if err := c.print(c.look.Bold(c.look.Cyan(label)) + row); err != nil {
				return err
			}
			label = strings.Repeat(" ", len(label))
		}
	}
	return c.rule()
}

// beside prints two texts side by side; look paints both, nil leaves them as they are.
func (c *columns) beside(left, right []string, look func(string) string) error {
	a, b := c.wrapped(left), c.wrapped(right)
	for i := range max(len(a), len(b)) {
		l, r := at(a, i), at(b, i)
		pad := strings.Repeat(" ", max(0, c.half()-timeline.Width(l)))
		if look != nil {
			l, r = look(l), look(r)
		}
		if err := c.print(strings.TrimRight(l+pad+c.look.Dim(between)+r, " ")); err != nil {
			return err
		}
	}
	return nil
}

func (c *columns) wrapped(lines []string) (rows []string) {
	for _, line := range lines {
		rows = append(rows, wrapped(line, c.half())...)
	}
	return rows
}

// wrapped breaks a line into at least one row.
func wrapped(line string, width int) []string {
	line = strings.ReplaceAll(line, "\t", "    ")
	if rows := timeline.Wrap(line, width); len(rows) > 0 {
		return rows
	}
	return []string{""}
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return ""
}

func (c *columns) print(line string) error {
	_, err := fmt.Fprintln(c.out, line)
	return err
}

// seconds is a time as it is printed.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func calls(n int) string {
	if n == 1 {
		return "1 tool call"
	}
	return fmt.Sprintf("%d tool calls", n)
}
