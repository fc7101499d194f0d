package cell

import (
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// job is a command that continues after its call has returned, until an event or the result of a call
// that reads its shell tells its end.
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
	case t.result.Running && t.shell():
		if i >= 0 {
			c.jobs = slices.Delete(c.jobs, i, i+1)
		}
		if len(c.jobs) < maxJobs {
			c.jobs = append(c.jobs, job{shell: id, title: t.title, number: t.number, began: t.began})
		}
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

// jobEnds takes the event of the end of a command in the background.
func (c *Conversation) jobEnds(e follow.Event) {
	end := e.Get(wire.FieldEnded)
	i := slices.IndexFunc(c.jobs, func(j job) bool { return j.shell == end.Get("shellId").Text() })
	if i < 0 {
		return
	}
	j, code := c.jobs[i], timeline.OneLine(string(end.Get("exitCode")), 20)
	c.jobs = slices.Delete(c.jobs, i, i+1)
	h := heading{mark: row.Of(markDone, row.Success), number: j.number, title: j.title, details: []string{elapsed(c.at(e).Sub(j.began))}}
	switch {
	case end.Get("stopped").True():
		h.mark, h.lead = row.Of(markStopped, row.Warning), row.Of("stopped by the user", row.Warning)
	case code != "0":
		h.mark, h.lead = row.Of(markFailed, row.Failure), row.Of("exit code "+code, row.Failure)
	default:
		h.lead = row.Of("exit code 0", row.Dim)
	}
	c.queue.put(&ended{h})
}

// ended is a command in the background that has ended.
type ended struct{ heading }

func (e *ended) done() bool               { return true }
func (e *ended) tight() bool              { return true }
func (e *ended) take(width int) []row.Row { return []row.Row{e.row(width)} }
func (e *ended) live(s scene) []row.Row   { return e.take(s.width) }

// jobRows is one row for each job.
func (c *Conversation) jobRows(s scene) (rows []row.Row) {
	for _, j := range c.jobs {
		h := heading{mark: row.Of(markRuns, row.Dim), number: j.number, title: j.title, details: append(s.since(j.began), "in the background")}
		rows = append(rows, h.row(s.width))
	}
	return rows
}
