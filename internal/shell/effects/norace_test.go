//go:build !race

package effects

const slower = 1
