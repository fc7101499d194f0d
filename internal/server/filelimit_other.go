//go:build !unix

package server

// fileLimit returns how many files this process can have open: Windows has no limit that matters here.
func fileLimit() int { return 1 << 20 }
