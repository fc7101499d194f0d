//go:build linux && !canary

package canary_test

// stride says that every so many lines run, so that the sample takes seconds.
const stride = 150
