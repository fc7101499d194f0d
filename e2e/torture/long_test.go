//go:build unix && torture

package torture_test

// How much is done in the long run.
const (
	defaultPoints = 0 // all of them
	moments       = 8 // of a first kill, spread over the conversation, for a second to follow
	agentSessions = 100
	agentKills    = 40
	sdkKills      = 100
	deaths        = 200
	memoryRounds  = 1000
)
