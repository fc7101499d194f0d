package schedule

import (
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ParseInterval reads an interval such as "30s", "5m", "2h", "1h30m" or "1d".
func ParseInterval(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	whole, rest := time.Duration(0), text
	if days, after, found := strings.Cut(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, notInterval(text)
		}
		whole, rest = time.Duration(n)*24*time.Hour, after
	}
	if rest != "" || whole == 0 {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return 0, notInterval(text)
		}
		whole += d
	}
	if whole < MinInterval || whole > MaxInterval {
		return 0, fault.New(fault.Invalid, "schedule", "", "the interval is %s, want between 1s and 366d", fault.Bounded(text))
	}
	return whole, nil
}

func notInterval(text string) error {
	return fault.New(fault.Invalid, "schedule", "", "the interval is %q, want a number and a unit, such as 30s, 5m, 2h or 1d", fault.Bounded(text))
}
