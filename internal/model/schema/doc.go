// Package schema turns the JSON Schema of a tool into one that providers of models accept. Clients and
// MCP servers write schemas in every draft and with every mistake, and most providers refuse a
// whole request because of one tool.
//
// The results depend on nothing but the schema, because providers cache prompts by prefix. The
// original schema checks the arguments of a call, so nothing is lost when a keyword is left out.
//
// Sources: what OpenAI, Anthropic and Google answer to schemas, as public threads quote it
// (anthropics/claude-code#5319, diegosouzapw/OmniRoute#13552, AnswerDotAI/fastcore#798,
// zed-industries/zed#44875), and the transformations of public clients.
//
// Begin with [Normalize], [OpenAPI] and [PlainNames].
package schema
