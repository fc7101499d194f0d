// Package metrics is what a session has cost, and how large its next request to the model is.
//
// [New] makes the [Metrics] of a session, which it knows as a [Session]. Each call of a model is
// added with [Metrics.Account]. Clients read [Metrics.Usage], [Metrics.Measure] and
// [Metrics.Weigh]; sizes are estimates, from the number of bytes that a token had in the calls
// before.
package metrics
