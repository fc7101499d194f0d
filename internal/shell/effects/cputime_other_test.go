//go:build !linux

package effects

import "time"

var started = time.Now()

// threadTime returns the time since the test began: other systems do not tell the time of a
// thread.
func threadTime() time.Duration { return time.Since(started) }
