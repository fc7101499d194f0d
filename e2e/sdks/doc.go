// Package sdks runs the vendors' official SDKs for Go against the fakes of package strict, so that
// the fakes are known to speak as the vendors do: what an SDK sends is accepted, what a fake
// answers is understood, also its errors. It contains only tests, and is a module of its own, so
// that users of Sidestick do not download the SDKs.
package sdks
