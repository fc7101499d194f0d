//go:build race

package effects

// slower is how much more time the race detector needs, at most. Source: go.dev/doc/articles/race_detector, twice.
const slower = 40
