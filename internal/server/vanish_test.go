package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/server"
)

func TestAClientThatAcknowledgesNothingForAMinuteIsCutOff(t *testing.T) {
	for _, tc := range []struct {
		name    string
		silence func(passed time.Duration) time.Duration
		want    time.Duration // until it is cut off; 0: never
	}{
		{"nothing is acknowledged", func(passed time.Duration) time.Duration { return passed }, time.Minute},
		{"it falls silent later", func(passed time.Duration) time.Duration { return max(0, passed-20*time.Second) }, 90 * time.Second},
		{"all is acknowledged, however little is read", func(time.Duration) time.Duration { return 0 }, 0},
		{"it is slow to acknowledge", func(passed time.Duration) time.Duration { return passed % (59 * time.Second) }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				defer near.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 59*time.Minute)
				defer cancel()
				begin := time.Now()
				server.EndWhenVanished(server.New(server.Options{}), ctx, far, func() time.Duration { return tc.silence(time.Since(begin)) })
				if cut, want := ctx.Err() == nil, tc.want > 0; cut != want || cut && time.Since(begin) != tc.want {
					t.Errorf("it was cut off: %v, after %v; want %v, after %v", cut, time.Since(begin), want, tc.want)
				}
			})
		})
	}
}

// A panic while a connection is watched ends the watching, and neither the connection nor
// the program.
func TestWatchingForAClientThatVanishesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		var log bytes.Buffer
		s := server.New(server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		server.EndWhenVanished(s, t.Context(), far, func() time.Duration { panic("no such socket") })
		if !strings.Contains(log.String(), "no such socket") {
			t.Errorf("the log has no reason: %s", &log)
		}
		if err := far.Close(); err != nil {
			t.Error(err)
		}
	})
}
