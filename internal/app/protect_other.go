//go:build !linux

package app

// Protect does nothing on this system.
func Protect(func(string) string) {}
