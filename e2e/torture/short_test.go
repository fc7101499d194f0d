//go:build unix && !torture

package torture_test

// How much is done in every `go test`: some seconds of it.
const (
	defaultPoints = 200
	moments       = 3 // of a first kill, spread over the conversation, for a second to follow
	agentSessions = 5
	agentKills    = 1
	sdkKills      = 10
	deaths        = 10
	memoryRounds  = 40
)
