// Package demo is the command `sidestick demo`, which needs no key and no network. The
// model is scripted; the rest of the runtime is the real one.
package demo
