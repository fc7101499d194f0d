package schedule_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/schedule"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestNext(t *testing.T) {
	created := at("2026-03-01T10:00:00Z")
	for name, test := range map[string]struct {
		entry schedule.Entry
		after string
		want  string // "" for never
	}{
		"the first interval":           {schedule.Entry{Every: time.Hour, Recurring: true}, "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"},
		"an interval that is due now":  {schedule.Entry{Every: time.Hour, Recurring: true}, "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z"},
		"missed intervals are skipped": {schedule.Entry{Every: time.Hour, Recurring: true}, "2026-03-01T13:30:00Z", "2026-03-01T14:00:00Z"},
		"a run that came late":         {schedule.Entry{Every: time.Hour, Recurring: true, Ran: at("2026-03-01T11:20:00Z")}, "2026-03-01T11:21:00Z", "2026-03-01T12:00:00Z"},
		"a clock that was set back":    {schedule.Entry{Every: time.Hour, Recurring: true}, "2026-03-01T07:00:00Z", "2026-03-01T11:00:00Z"},
		"once, after an interval":      {schedule.Entry{Every: time.Hour}, "2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z"},
		"once, and missed":             {schedule.Entry{Every: time.Hour}, "2026-03-01T11:00:01Z", ""},
		"at a moment":                  {schedule.Entry{At: at("2026-04-01T00:00:00Z")}, "2026-03-01T10:00:00Z", "2026-04-01T00:00:00Z"},
		"a moment that was missed":     {schedule.Entry{At: at("2026-04-01T00:00:00Z")}, "2026-04-02T00:00:00Z", ""},
		"cron":                         {schedule.Entry{Cron: "30 9 * * 1-5", Zone: "UTC", Recurring: true}, "2026-03-01T10:00:00Z", "2026-03-02T09:30:00Z"},
		"cron once, and missed":        {schedule.Entry{Cron: "30 9 * * *", Zone: "UTC"}, "2026-03-03T10:00:00Z", ""},
		"cron in a time zone":          {schedule.Entry{Cron: "0 9 * * *", Zone: "Asia/Tokyo", Recurring: true}, "2026-03-01T10:00:00Z", "2026-03-02T00:00:00Z"},
		"after the year 9999":          {schedule.Entry{At: time.UnixMilli(253402300800000)}, "2026-03-01T10:00:00Z", ""},
		"more than a Duration ago":     {schedule.Entry{Every: time.Hour, Recurring: true, Created: at("0002-01-01T00:00:00Z")}, "2026-03-01T10:00:00Z", "2026-03-01T10:12:43.145224193Z"},
		"a zone that is not known":     {schedule.Entry{Cron: "0 9 * * *", Zone: "No/Where", Recurring: true}, "2026-03-01T10:00:00Z", ""},
	} {
		if test.entry.Created.IsZero() {
			test.entry.Created = created
		}
		next, ok := test.entry.Next(at(test.after))
		if ok != (test.want != "") || ok && !next.Equal(at(test.want)) {
			t.Errorf("%s: %v %v, want %q", name, next, ok, test.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		entry schedule.Entry
		ok    bool
	}{
		"cron":                   {schedule.Entry{Cron: "*/5 * * * *"}, true},
		"six fields":             {schedule.Entry{Cron: "* * * * * *"}, false},
		"a macro":                {schedule.Entry{Cron: "@hourly"}, false},
		"a date that never is":   {schedule.Entry{Cron: "0 0 30 2 *"}, false},
		"a number too high":      {schedule.Entry{Cron: "0 25 * * *"}, false},
		"words":                  {schedule.Entry{Cron: "a b c d e"}, false},
		"zero steps":             {schedule.Entry{Cron: "*/0 * * * *"}, false},
		"a step that overflows":  {schedule.Entry{Cron: "1/9223372036854775807 * * * *"}, false},
		"a long list":            {schedule.Entry{Cron: strings.Repeat("1,", 200) + "1 * * * *"}, false},
		"a zone":                 {schedule.Entry{Cron: "0 0 * * *", Zone: "Europe/Berlin"}, true},
		"a zone outside":         {schedule.Entry{Cron: "0 0 * * *", Zone: "../../etc/passwd"}, false},
		"an interval":            {schedule.Entry{Every: time.Minute}, true},
		"an interval of nothing": {schedule.Entry{Every: time.Millisecond}, false},
		"the end of 9999":        {schedule.Entry{At: time.UnixMilli(253402300799999)}, true},
		"the year 10000":         {schedule.Entry{At: time.UnixMilli(253402300800000)}, false},
		"the last millisecond":   {schedule.Entry{At: time.UnixMilli(math.MaxInt64)}, false},
		"no time at all":         {schedule.Entry{}, false},
	} {
		test.entry.Created = at("2026-03-01T10:00:00Z")
		if err := test.entry.Check(); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseInterval(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "5m": 5 * time.Minute, " 2h ": 2 * time.Hour, "1h30m": 90 * time.Minute, "1d": 24 * time.Hour, "1d12h": 36 * time.Hour,
		"": 0, "5": 0, "-5m": 0, "0s": 0, "1ms": 0, "d": 0, "400d": 0, "70000d": 0, "1d-5h": 0, "5 minutes": 0, "9999999h": 0, "99999999999h": 0,
	} {
		got, err := schedule.ParseInterval(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, cron := range []string{"* * * * *", "0 0 31 2,4 *", "1-5/2 ? L 1 5#3", "*/0 0-99 , - *", "0 0 W * L"} {
		f.Add(cron, "UTC")
	}
	f.Fuzz(func(t *testing.T, cron, zone string) {
		e := schedule.Entry{Cron: cron, Zone: zone, Recurring: true, Created: at("2026-03-01T10:00:00Z")}
		if e.Check() != nil {
			return
		}
		if next, ok := e.Next(e.Created); !ok || !next.After(e.Created) {
			t.Errorf("%q in %q: checked, and next is %v %v", cron, zone, next, ok)
		}
	})
}
