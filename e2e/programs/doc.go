// Package programs tests the program with programs of users: one story, told in several languages on the official
// SDKs, over every transport that they have. story.md is the story; table_test.go says which version of which SDK
// tells it over which transport, and which steps are left out. It contains only tests, with the build tag programs.
//
// .ci/run installs the packages, by their lock files in testdata, in a folder that it keeps, and names it in the
// environment:
//
//	SIDESTICK_PROGRAMS=~/.cache/sidestick-ci/programs go test -tags programs ./e2e/programs
//
// In this folder python-1.0.27 is an environment of Python with that version of the SDK, node-1.0.14 a folder with
// node_modules; both are used with the programs in testdata. go/story and rust/story are programs. One row alone:
// -run 'TestTheStory/rows/python-1.0.27-stdio'.
package programs
