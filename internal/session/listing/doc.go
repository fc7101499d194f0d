// Package listing answers which sessions there are: lists for clients and users, one
// session's description, its stored events, and news of sessions that are created,
// changed and deleted.
//
// A list comes from the catalogue (package catalog), an index that may be lost at any time. Where
// there is no catalogue, or it cannot be used, the heads of the logs are read instead, with the
// same result.
package listing
