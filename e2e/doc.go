// Package e2e holds tests from outside: the official Go SDK as a client of the
// real binary, and recorded conversations of a real model played through the
// real server. It has no code of its own.
package e2e
