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
