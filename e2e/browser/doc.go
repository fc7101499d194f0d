// Package browser attacks the listeners of the program from web pages in a real browser, Debian's
// chromium. It contains only tests.
//
//	apt-get install chromium
//	go test -tags browser ./e2e/browser
//
// Without the build tag the package is empty, because `go test ./...` must not need a browser.
// `.ci/run` installs the browser and sets the tag.
//
// Two servers without any protection are among the servers under attack; the same pages must be
// able to use them, because otherwise the attacks would prove nothing. testdata/attack.js is the
// script of the pages.
package browser
