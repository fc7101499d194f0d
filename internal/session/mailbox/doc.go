// Package mailbox brings functions to the one goroutine that runs them, and their results
// back to callers, which may stop waiting at any time. A session owns a [Mailbox]; its parts
// know a [Goroutine], and [Ask] and [Deliver] bring them a result.
//
// # What always holds
//
//   - A function whose caller's context ends before the function begins never runs.
//   - A function that has begun runs to its end, once. Its caller returns as soon as the
//     context ends, and does not learn the result.
//   - A function shares no variable with a caller that may have returned: [Ask] and
//     [Deliver] hand over the result on a channel.
package mailbox
