package server

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A model call over a WebSocket that a client makes: the client answers with status 101, the
// request is one message, and each message of the answer becomes one event of a stream, which
// is what package model reads. The dialect knows the last one and closes the body.

// talk sends the one message of a call, and returns the messages of the answer as events.
func (x *carried) talk(ctx context.Context, req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	message, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := x.of.c.call(ctx, "llmInference.httpRequestChunk", wire.InferenceRequestChunk{RequestID: x.id, Data: string(message)}); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, ContentLength: -1, Request: req,
	}, nil
}

// asEvent returns a message as an event of a stream. A message of several lines keeps them.
func asEvent(message []byte) []byte {
	out := append([]byte("data: "), bytes.ReplaceAll(message, []byte("\n"), []byte("\ndata: "))...)
	return append(out, "\n\n"...)
}
