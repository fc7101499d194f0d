// Package serve runs Sidestick as a server until its client or a signal ends it.
package serve
