package cell

import (
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// job is a command that continues after its call has returned. The session reports its end only
// when the model looks at its shell.
type job struct {
	shell  string
	title  string
	number int
	began  time.Time
}

// maxJobs bounds the jobs that are shown.
const maxJobs = 100

// job takes over what the result of a call says about a command that continues.
func (c *Conversation) job(t *call) {
	id := t.result.Shell
	if id == "" {
		return
	}
	i := slices.IndexFunc(c.jobs, func(j job) bool { return j.shell == id })
	switch {
	case t.result.Running && i < 0 && t.shell() && len(c.jobs) < maxJobs:
		c.jobs = append(c.jobs, job{shell: id, title: t.title, number: t.number, began: t.began})
	case !t.result.Running && i >= 0:
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
}

// jobRows is one row for each job.
func (c *Conversation) jobRows(s scene) (rows []row.Row) {
	for _, j := range c.jobs {
		head := row.Of(fmt.Sprintf("%s [%d] ", markRuns, j.number), row.Dim)
		rows = append(rows, headed(head, j.title, "", append(s.since(j.began), "in the background"), s.width))
	}
	return rows
}
