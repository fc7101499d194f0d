package cell

import (
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// cell is one part of a conversation. The cells are [prompt], [answer], [thought], [call], [welcome],
// [note].
type cell interface {
	// take returns the rows that have become final since the last call.
	take(width int) []row.Row
	// live returns the other rows, as they are now.
	live(s scene) []row.Row
	// done reports whether nothing of the cell will change.
	done() bool
	// tight reports whether no blank row separates the cell from another tight one.
	tight() bool
}

// scene is what the rows of a growing cell depend on, beside the cell.
type scene struct {
	width int
	now   time.Time
	tail  int // how many rows of output are shown below a call
}

// since is how long something has run, once that is a second.
func (s scene) since(began time.Time) []string {
	if took := s.now.Sub(began); took >= time.Second && !began.IsZero() {
		return []string{clock(took)}
	}
	return nil
}

// maxWaiting bounds the calls that have finished and wait for one that began before them.
const maxWaiting = 3

// queue is the cells whose rows were not all taken, in the order of the scrollback.
type queue struct {
	cells []cell
	begun bool // rows of the first cell were taken
	any   bool // rows were taken at all
	tight bool // the last cell whose rows were taken was tight
}

// put adds a cell above the calls that still run.
func (q *queue) put(c cell) {
	if at := q.running(); at >= 0 {
		q.cells = slices.Insert(q.cells, at, c)
		return
	}
	q.cells = append(q.cells, c)
}

// add adds a call that has begun.
func (q *queue) add(c *call) { q.cells = append(q.cells, c) }

// running is the index of the first call that still runs, -1 if none does.
func (q *queue) running() int {
	return slices.IndexFunc(q.cells, func(c cell) bool {
		_, ok := c.(*call)
		return ok && !c.done()
	})
}

// ended lets the first finished call go ahead if too many wait. Call it when a call has ended.
func (q *queue) ended() {
	first := q.running()
	if first < 0 {
		return
	}
	waiting, next := 0, -1
	for i, c := range q.cells[first:] {
		if !c.done() {
			continue
		}
		if waiting++; next < 0 {
			next = first + i
		}
	}
	if waiting > maxWaiting {
		c := q.cells[next]
		q.cells = slices.Insert(slices.Delete(q.cells, next, next+1), first, c)
	}
}

// take returns the rows that have become final.
func (q *queue) take(width int) (rows []row.Row) {
	q.each(width, func(_ cell, more []row.Row, _ bool) { rows = append(rows, more...) })
	return rows
}

// each passes on the rows that have become final, cell by cell. begins says that they are the
// first of the cell; the first of them is then empty if the cell is separated from the last one.
func (q *queue) each(width int, yield func(c cell, rows []row.Row, begins bool)) {
	for len(q.cells) > 0 {
		c := q.cells[0]
		if rows := c.take(width); len(rows) > 0 {
			begins := !q.begun
			if begins && q.any && !(q.tight && c.tight()) {
				rows = append([]row.Row{nil}, rows...)
			}
			q.begun, q.any, q.tight = true, true, open(c)
			yield(c, rows, begins)
		}
		if !c.done() {
			return
		}
		q.begun = false
		q.cells[0], q.cells = nil, q.cells[1:]
	}
	q.cells = nil
}

// open reports whether no blank row is between a cell and a tight one below it.
func open(c cell) bool {
	if _, ok := c.(*typed); ok {
		return true // what a command has printed belongs to it
	}
	n, ok := c.(*note)
	return c.tight() && !(ok && n.last)
}

// live returns the rows of the cells that were not taken.
func (q *queue) live(s scene) (rows []row.Row) {
	begun, any, tight := q.begun, q.any, q.tight
	for _, c := range q.cells {
		more := c.live(s)
		if len(more) > 0 {
			if !begun && any && !(tight && c.tight()) {
				rows = append(rows, nil)
			}
			rows = append(rows, more...)
		}
		if begun || len(more) > 0 {
			any, tight = true, open(c)
		}
		begun = false
	}
	return rows
}
