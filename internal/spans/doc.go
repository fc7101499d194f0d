// Package spans writes what sessions do as spans of OpenTelemetry, one JSON object per line,
// into a file: invoke_agent for a run, and in it chat for each call of the model and
// execute_tool for each tool call. The attributes are those of the conventions for generative
// AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
//
// Texts of the conversation are written only if the user has asked for them; secrets that this
// program knows are not in the events.
package spans
