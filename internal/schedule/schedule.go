// Package schedule computes when scheduled prompts are due: at an interval, by a cron
// expression, or at a moment. It has no clock, no I/O and no state; package session/state
// keeps the entries, and package session/queue sends their prompts.
//
// A new field of an entry goes through session/queue/schedule.go, which records it and shows it to
// clients, session/state/schedule.go, which reads it from the log, and server/schedule.go.
//
// Begin with [Entry].
package schedule

import (
	"regexp"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// The bounds of an interval. The lower one keeps an entry from doing nothing but starting runs;
// the upper one is far below what a time.Duration can hold.
const (
	MinInterval = time.Second
	MaxInterval = 366 * 24 * time.Hour
)

// end is after every moment that an entry can be due at: JSON, in which clients read times, has years of four digits.
func end() time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }

// maxCron bounds the bytes of a cron expression; a list of all minutes has 150.
const maxCron = 300

// longNumber finds numbers that no field can have. The library would count to them.
var longNumber = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`[0-9]{3}`) }}

// Entry is a prompt that is sent at certain times. Exactly one of Every, Cron and At is set.
type Entry struct {
	ID int64 // counts from 1 in each session

	Prompt  string
	Display string // the text for users; "": they see Prompt

	Every time.Duration // interval between two runs; counted from Created
	Cron  string        // five fields: minute, hour, day of month, month, day of week
	Zone  string        // IANA name of the time zone of Cron; "" is that of this machine
	At    time.Time     // the moment of a single run

	Recurring bool // false: removed after its first run

	Created time.Time
	Ran     time.Time // when the prompt was sent last; zero before
}

// Check returns what is wrong with the times of an entry; nil if they can be computed.
func (e *Entry) Check() error {
	switch {
	case e.Every != 0 && (e.Every < MinInterval || e.Every > MaxInterval):
		return fault.New(fault.Invalid, "schedule", "", "the interval is %s, want between 1s and 366d", e.Every)
	case !e.At.Before(end()):
		return fault.New(fault.Invalid, "schedule", "", "the time is after the year 9999, the last one that clients can be told")
	case e.Every != 0 || !e.At.IsZero():
		return nil
	}
	_, err := e.nextByCron(e.Created)
	return err
}

// Next returns when the entry is due for the first time after a moment. Runs between its last
// one and that moment are skipped, not made up for. ok is false if it is never due again: its
// only run was before that moment, or its times cannot be computed on this machine, such as one after the year 9999.
func (e *Entry) Next(after time.Time) (at time.Time, ok bool) {
	switch {
	case !e.Recurring:
		at = e.single()
	case e.Every > 0:
		if at = e.Created.Add(e.Every); !at.After(after) {
			at = after.Add(e.Every - after.Sub(e.Created)%e.Every) // right also if Created lies further back than a Duration reaches
		}
	default:
		at, _ = e.nextByCron(after) // with an error it is the zero time
	}
	return at, at.After(after) && at.Before(end())
}

// single returns when an entry that runs once is due; the zero time if it cannot be computed.
func (e *Entry) single() time.Time {
	switch {
	case e.Every > 0:
		return e.Created.Add(e.Every)
	case e.Cron == "":
		return e.At
	}
	at, err := e.nextByCron(e.Created)
	if err != nil {
		return time.Time{}
	}
	return at
}

func (e *Entry) nextByCron(after time.Time) (time.Time, error) {
	if err := e.checkCron(); err != nil {
		return time.Time{}, err
	}
	zone := time.Local
	if e.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(e.Zone); err != nil {
			return time.Time{}, fault.New(fault.Invalid, "schedule", "", "the time zone %q is not known on this machine", fault.Bounded(e.Zone))
		}
	}
	var at time.Time
	err := fault.Guard("gronx.NextTickAfter", func() (err error) { // it reads text from outside
		at, err = gronx.NextTickAfter(e.Cron, after.In(zone), false)
		return err
	})
	if err != nil || !at.After(after) {
		return time.Time{}, fault.New(fault.Invalid, "schedule", "", "the cron expression %q cannot be read, or is never due", fault.Bounded(e.Cron))
	}
	return at, nil
}

// checkCron refuses what the library must not read.
func (e *Entry) checkCron() error {
	if len(e.Cron) > maxCron || longNumber.Get().MatchString(e.Cron) {
		return fault.New(fault.Invalid, "schedule", "", "the cron expression %q has a number of more than two digits, or is longer than %d bytes", fault.Bounded(e.Cron), maxCron)
	}
	if n := len(strings.Fields(e.Cron)); n != 5 {
		return fault.New(fault.Invalid, "schedule", "", "the cron expression %q has %d fields, want 5: minute, hour, day of month, month, day of week", fault.Bounded(e.Cron), n)
	}
	return nil
}
