package server

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func listSchedules(ctx context.Context, s *session.Session, _ named) (any, error) {
	entries, err := s.Queue().Schedule().List(ctx)
	return wire.ScheduleListed{Entries: entries}, err
}

func stopSchedule(ctx context.Context, s *session.Session, p wire.ScheduleStop) (any, error) {
	removed, err := s.Queue().Schedule().Stop(ctx, p.ID)
	return wire.ScheduleStopped{Entry: removed}, err
}

// hasSelfPaced answers that the model paces no entry, because it has no tool for that.
func hasSelfPaced(context.Context, *session.Session, named) (any, error) {
	return wire.SelfPacedScheduled{}, nil
}

func addInterval(ctx context.Context, s *session.Session, p wire.ScheduleAdd) (any, error) {
	every, err := schedule.ParseInterval(p.Interval)
	if err != nil {
		return added(wire.ScheduleEntry{}, err)
	}
	return added(s.Queue().Schedule().Add(ctx, schedule.Entry{
		Every: every, Prompt: p.Prompt, Display: optional(p.DisplayPrompt), Recurring: p.Recurring == nil || *p.Recurring,
	}))
}

func addCron(ctx context.Context, s *session.Session, p wire.ScheduleAddCron) (any, error) {
	return added(s.Queue().Schedule().Add(ctx, schedule.Entry{
		Cron: p.Cron, Zone: optional(p.Tz), Prompt: p.Prompt, Display: optional(p.DisplayPrompt), Recurring: p.Recurring == nil || *p.Recurring,
	}))
}

func addAt(ctx context.Context, s *session.Session, p wire.ScheduleAddAt) (any, error) {
	if p.Recurring != nil && *p.Recurring {
		return added(wire.ScheduleEntry{}, fault.New(fault.Invalid, "", "", "a prompt at one moment cannot recur; use session.schedule.addCron"))
	}
	return added(s.Queue().Schedule().Add(ctx, schedule.Entry{At: time.UnixMilli(p.At), Prompt: p.Prompt, Display: optional(p.DisplayPrompt)}))
}

// added is the answer to a new entry. A mistake that the user can correct is in the result.
func added(e wire.ScheduleEntry, err error) (any, error) {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unavailable:
		if err != nil {
			why := fault.Message(err)
			return wire.ScheduleAdded{Error: &why}, nil
		}
	}
	return wire.ScheduleAdded{Entry: &e}, err
}

func optional(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
