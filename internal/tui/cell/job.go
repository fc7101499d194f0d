package cell

import (
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

// Job is a command that continues in the background.
type Job struct {
	Shell  string // the id of its shell
	Number int    // of its call
	Title  string
	Began  time.Time
}

// Jobs are the commands that continue in the background, as far as the session has reported.
func (c *Conversation) Jobs() (all []Job) {
	for _, j := range c.jobs {
		all = append(all, Job{j.shell, j.number, j.title, j.began})
	}
	return all
}

// Stopped says that the user has stopped the command of a shell.
func (c *Conversation) Stopped(shell string) {
	c.jobs = slices.DeleteFunc(c.jobs, func(j job) bool { return j.shell == shell })
}

// jobRows is one row for each job.
func (c *Conversation) jobRows(s scene) (rows []row.Row) {
	for _, j := range c.jobs {
		h := heading{mark: row.Of(markRuns, row.Dim), number: j.number, title: j.title, details: append(s.since(j.began), "in the background")}
		rows = append(rows, h.row(s.width))
	}
	return rows
}
