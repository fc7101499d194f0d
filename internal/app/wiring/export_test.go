package wiring

// NetworkRules is networkRules, for tests.
var NetworkRules = networkRules
