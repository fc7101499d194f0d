package timeline

import (
	"fmt"
	"strings"
)

// Hidden says how much comes before the rows of a result that are shown: its lines, and what the tool itself has left out
// between them, such as "472 lines and 77.7 KB".
func Hidden(lines []string) string {
	n, more := len(lines), ""
	for _, l := range lines {
		if amount, _, ok := strings.Cut(l, " left out here;"); ok && strings.HasPrefix(amount, "[") {
			n--
			more = " and " + strings.TrimSuffix(amount[1:], " are")
		}
	}
	unit := "lines"
	if n == 1 {
		unit = "line"
	}
	return fmt.Sprintf("%d %s%s", n, unit, more)
}
