package config

import "time"

// maxRetryFor bounds [Config.RetryFor]: a run that waits longer than a day is not noticed to be stuck.
const maxRetryFor = 24 * time.Hour

// RetryTotal is RetryFor as a time, from 0 to 24 hours; 0 means that a failed call of a model is not
// made again.
func (c Config) RetryTotal() time.Duration {
	d, _ := time.ParseDuration(c.RetryFor.Value) // check has read it
	return d
}

func (c Config) checkRetryFor() error {
	d, err := time.ParseDuration(c.RetryFor.Value)
	if err != nil || d < 0 || d > maxRetryFor {
		return invalid(c.RetryFor.From, "a time from 0s to 24h, such as 2m; 0s means that a failed call is not made again", "%q is no time for which calls are tried again", c.RetryFor.Value)
	}
	return nil
}

// LongestSilence is Silence as a time, from one second to 24 hours; 0 leaves it to the client of models.
func (c Config) LongestSilence() time.Duration {
	d, _ := time.ParseDuration(c.Silence.Value) // check has read it
	return d
}

func (c Config) checkSilence() error {
	if c.Silence.Value == "" {
		return nil
	}
	if d, err := time.ParseDuration(c.Silence.Value); err != nil || d < time.Second || d > maxRetryFor {
		return invalid(c.Silence.From, "a time from 1s to 24h, such as 90m", "%q is no time for which a server of models may be silent", c.Silence.Value)
	}
	return nil
}
