//go:build linux && !amd64

package attempt

var legacy []Attempt
