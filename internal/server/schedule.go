package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// listSchedules lists none: messages are not sent by the clock yet.
func listSchedules(context.Context, *session.Session, named) (any, error) {
	return struct {
		Entries []string `json:"entries"`
	}{[]string{}}, nil
}

// stopSchedule answers without an entry, as for every id that is unknown.
func stopSchedule(context.Context, *session.Session, named) (any, error) { return none{}, nil }
