//go:build linux && canary

package canary_test

// stride is 1: every line runs.
const stride = 1
