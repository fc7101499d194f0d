//go:build !unix

package proctree

// RunKeeper returns false: on this system there is no keeper.
func RunKeeper([]string) (code int, ran bool) { return 0, false }

// Self returns "": on this system there is no keeper.
func Self() string { return "" }
