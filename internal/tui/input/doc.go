// Package input decodes the bytes that a terminal sends into keys, pasted text and answers.
//
//   - event.go: the events.
package input
