//go:build unix && !torture

package torture_test

// How much is done in every `go test`: some seconds of it.
const (
	defaultPoints = 200
	sdkKills      = 10
	memoryRounds  = 40
)
