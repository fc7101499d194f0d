package e2e_test

import (
	bigendian "encoding/binary"
	"hash/crc32"
	"strings"
)

// vendorCase is a model that is named with its provider, and what the provider answers: a call of
// the tool view, and then a text.
type vendorCase struct {
	model, path, key string
	media            string // type of the answers; "" for server-sent events
	env              func(url string) []string
	answers          []string
	second           string // is in the second request
}

func vendorCases() []vendorCase {
	return append([]vendorCase{
		{
			model: "anthropic:claude-opus-5-5", path: "/v1/messages", key: "X-Api-Key",
			env: func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=the-key"} },
			answers: []string{
				`data: {"type":"message_start","message":{"type":"message","id":"m1","usage":{"input_tokens":5}}}` + "\n\n" +
					`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":"SIG"}}` + "\n\n" +
					`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"view","input":{"path":"note.txt"}}}` + "\n\n" +
					`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
				`data: {"type":"message_start","message":{"type":"message","id":"m2"}}` + "\n\n" +
					`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"It says hello."}}` + "\n\n" +
					`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
			},
			second: `{"type":"thinking","thinking":"Hm.","signature":"SIG"},{"type":"tool_use","id":"t1","name":"view","input":{"path":"note.txt"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":`,
		},
		{
			model: "azure:prod", path: "/openai/v1/responses", key: "Api-Key",
			env: func(url string) []string {
				return []string{"AZURE_OPENAI_ENDPOINT=" + url, "AZURE_OPENAI_API_KEY=the-key"}
			},
			answers: []string{
				`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[],"encrypted_content":"ENC"}}` + "\n\n" +
					`data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"t1","name":"view","arguments":"{\"path\":\"note.txt\"}"}}` + "\n\n" +
					`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n",
				`data: {"type":"response.output_text.delta","output_index":0,"delta":"It says hello."}` + "\n\n" +
					`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n",
			},
			second: `{"encrypted_content":"ENC","summary":[],"type":"reasoning"},{"type":"function_call","call_id":"t1","name":"view","arguments":"{\"path\":\"note.txt\"}"},{"type":"function_call_output","call_id":"t1","output":`,
		},
	}, cloudCases()...)
}

// cloudCases are those whose streams are not server-sent events.
func cloudCases() []vendorCase {
	const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	bedrock := vendorCase{
		model: "bedrock:" + claude, path: "/model/" + claude + "/converse-stream", media: "application/vnd.amazon.eventstream",
		answers: []string{
			converse(`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hm."}}}`, `contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"SIG"}}}`,
				`contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t1","name":"view"}}}`,
				`contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"path\":\"note.txt\"}"}}}`, `messageStop {"stopReason":"tool_use"}`, `metadata {"usage":{"inputTokens":5,"outputTokens":3}}`),
			converse(`contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"It says hello."}}`, `messageStop {"stopReason":"end_turn"}`, `metadata {}`),
		},
		second: `{"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"SIG"}}},{"toolUse":{"toolUseId":"t1","name":"view","input":{"path":"note.txt"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":`,
	}
	withKey, signed := bedrock, bedrock
	withKey.key, withKey.env = "Authorization", func(url string) []string {
		return []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + url, "AWS_BEARER_TOKEN_BEDROCK=the-key"}
	}
	signed.key, signed.env = "X-Amz-Security-Token", func(url string) []string {
		return []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + url, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=AK", "AWS_SECRET_ACCESS_KEY=the-secret", "AWS_SESSION_TOKEN=the-key"}
	}
	return []vendorCase{withKey, signed, {
		model: "ollama:qwen3", path: "/api/chat", key: "Authorization", media: "application/x-ndjson",
		env: func(url string) []string { return []string{"OLLAMA_HOST=" + url, "OLLAMA_API_KEY=the-key"} },
		answers: []string{
			`{"message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}` + "\n" +
				`{"message":{"role":"assistant","content":"","tool_calls":[{"id":"t1","function":{"name":"view","arguments":{"path":"note.txt"}}}]},"done":false}` + "\n" +
				`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":3}` + "\n",
			`{"message":{"role":"assistant","content":"It says hello."},"done":true,"done_reason":"stop"}` + "\n",
		},
		second: `"thinking":"Hm.","tool_calls":[{"id":"t1","function":{"index":0,"name":"view","arguments":{"path":"note.txt"}}}]},{"role":"tool","content":`,
	}}
}

// converse is a stream of events of Bedrock, each given as its type, a space and its payload.
func converse(events ...string) string {
	var b []byte
	for _, e := range events {
		kind, payload, _ := strings.Cut(e, " ")
		headers := header(":event-type", kind) + header(":message-type", "event")
		begin := len(b)
		b = bigendian.BigEndian.AppendUint32(b, uint32(16+len(headers)+len(payload)))
		b = bigendian.BigEndian.AppendUint32(b, uint32(len(headers)))
		b = bigendian.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[begin:]))
		b = append(append(b, headers...), payload...)
		b = bigendian.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[begin:]))
	}
	return string(b)
}

func header(name, value string) string {
	const text = 7
	return string(append([]byte{byte(len(name))}, name...)) + string(bigendian.BigEndian.AppendUint16([]byte{text}, uint16(len(value)))) + value
}
