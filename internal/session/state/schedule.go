package state

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// MaxScheduled bounds the scheduled prompts of a session.
const MaxScheduled = 50

// sourceScheduled begins the source of a message that the schedule has sent; the id of its
// entry follows.
const sourceScheduled = "schedule-"

// ScheduledBy returns the source of the messages of an entry of the schedule.
func ScheduledBy(id int64) string { return sourceScheduled + strconv.FormatInt(id, 10) }

// Scheduled returns the entry of an id.
func (s *State) Scheduled(id int64) (e schedule.Entry, ok bool) {
	i := s.scheduled(id)
	if i < 0 {
		return e, false
	}
	return s.Schedule[i], true
}

func (s *State) scheduled(id int64) int {
	return slices.IndexFunc(s.Schedule, func(e schedule.Entry) bool { return e.ID == id })
}

// addScheduled folds a new entry of the schedule in. Entries that the model paces, which other
// runtimes have, and those beyond the bound are left out.
func (s *State) addScheduled(data wire.Raw, at time.Time) {
	var d wire.ScheduleCreated
	if json.Unmarshal(data, &d) != nil || d.SelfPaced != nil && *d.SelfPaced {
		return
	}
	s.LastScheduled = max(s.LastScheduled, d.ID)
	if s.scheduled(d.ID) < 0 && len(s.Schedule) < MaxScheduled {
		s.Schedule = append(slices.Clip(s.Schedule), entryOf(&d, at))
	}
}

func entryOf(d *wire.ScheduleCreated, at time.Time) schedule.Entry {
	e := schedule.Entry{ID: d.ID, Prompt: d.Prompt, Recurring: d.Recurring == nil || *d.Recurring, Created: at}
	if d.DisplayPrompt != nil {
		e.Display = *d.DisplayPrompt
	}
	if d.IntervalMs != nil {
		e.Every = time.Duration(min(max(*d.IntervalMs, 0), schedule.MaxInterval.Milliseconds())) * time.Millisecond
	}
	if d.Cron != nil {
		e.Cron = *d.Cron
	}
	if d.Tz != nil {
		e.Zone = *d.Tz
	}
	if d.At != nil {
		e.At = time.UnixMilli(*d.At)
	}
	return e
}

func (s *State) cancelScheduled(data wire.Raw, _ time.Time) {
	var d wire.ScheduleCancelled
	if json.Unmarshal(data, &d) == nil {
		s.Schedule = slices.DeleteFunc(slices.Clone(s.Schedule), func(e schedule.Entry) bool { return e.ID == d.ID })
	}
}

// ran notes that the prompt of an entry was sent, or waits in the queue; source is that of a
// message. An entry that runs once has then done its work.
func (s *State) ran(source string, at time.Time) {
	number, ours := strings.CutPrefix(source, sourceScheduled)
	if !ours {
		return
	}
	id, err := strconv.ParseInt(number, 10, 64)
	i := s.scheduled(id)
	if err != nil || i < 0 {
		return
	}
	s.Schedule = slices.Clone(s.Schedule) // others may read that of an earlier state
	if !s.Schedule[i].Recurring {
		s.Schedule = slices.Delete(s.Schedule, i, i+1)
		return
	}
	s.Schedule[i].Ran = at
}
