//go:build unix && torture

package torture_test

// How much is done in the long run.
const (
	defaultPoints = 0 // all of them
	sdkKills      = 100
	memoryRounds  = 1000
)
