package peers_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// GitHub's SDK verifies our signatures, with a key that it is given and with the key that
// our endpoint publishes. It fetches that key once, and then only asks whether it changed.
func TestTheSDKVerifiesWhatWeSign(t *testing.T) {
	github := newStandIn(t)
	body := `{"messages":[{"role":"user","content":"Grüße 🚢"}]}`
	id, signature, err := github.signer.Sign([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Keys []struct{ Key string } `json:"public_keys"`
	}
	if err := json.Unmarshal(github.signer.PublicKeys(), &published); err != nil {
		t.Fatal(err)
	}
	key := published.Keys[0].Key
	first := ask(t, github,
		call{"verifyRequest", body, signature, key},
		call{"verifyRequest", body + " ", signature, key},
		call{"verifyRequestByKeyId", body, signature, id},
		call{"verifyRequestByKeyId", body + " ", signature, id},
		call{"verifyRequestByKeyId", body, signature, strings.Repeat("0", 64)},
		call{"verifyAndParseRequest", body, signature, id},
	)
	var plain, changed bool
	first[0].into(t, &plain)
	first[1].into(t, &changed)
	type verdict struct {
		IsValid, IsValidRequest bool
		Cache                   json.RawMessage
	}
	var byID, changedByID, parsed verdict
	first[2].into(t, &byID)
	first[3].into(t, &changedByID)
	first[5].into(t, &parsed)
	if !plain || changed || !byID.IsValid || changedByID.IsValid || !parsed.IsValidRequest {
		t.Errorf("verified: %v, changed %v, by id %v, changed %v, parsed %v", plain, changed, byID.IsValid, changedByID.IsValid, parsed.IsValidRequest)
	}
	if !strings.Contains(first[4].Error, "No public key found") {
		t.Errorf("a key that nobody published: %+v", first[4])
	}
	if github.unchanged != 0 {
		t.Errorf("%d answers were 304 before anybody could know", github.unchanged)
	}
	again := ask(t, github, call{"verifyRequestByKeyId", body, signature, id, map[string]any{"cache": byID.Cache}})
	var cached verdict
	again[0].into(t, &cached)
	if !cached.IsValid || github.unchanged != 1 {
		t.Errorf("with what it had kept it says %v, after %d answers of 304", cached.IsValid, github.unchanged)
	}
}

// The SDK finds in our requests what its agents look for.
func TestTheSDKReadsOurRequests(t *testing.T) {
	github := newStandIn(t)
	r := extension.Request{
		ThreadID: "t-1", Agent: "harbour", Token: "gho_secret",
		Messages: []extension.Message{
			{Role: "user", Content: "@harbour cast off", References: []extension.Reference{{Type: "client.file", ID: "a.go"}}},
			{Role: "assistant", Content: ""},
			{Role: "user", Decisions: []extension.Decision{{Accepted: true, Data: json.RawMessage(`{"id":"1","ship":"Marie","n":12345678901}`)}}},
		},
	}
	decided := payload(t, &r)
	r.Messages = append(r.Messages, extension.Message{Role: "user", Content: "Thanks & <bye> 🚢"})
	said := payload(t, &r)
	var object, saidObject json.RawMessage
	got := ask(t, github, call{"parseRequestBody", decided}, call{"parseRequestBody", said})
	got[0].into(t, &object)
	got[1].into(t, &saidObject)

	got = ask(t, github,
		call{"getUserConfirmation", object}, call{"getUserMessage", object},
		call{"getUserConfirmation", saidObject}, call{"getUserMessage", saidObject},
		call{"transformPayloadForOpenAICompatibility", saidObject},
	)
	for i, want := range []string{
		`{"accepted":true,"id":"1","metadata":{"ship":"Marie","n":12345678901}}`, `""`, `null`, `"Thanks & <bye> 🚢"`,
		`{"messages":[{"role":"user","content":"@harbour cast off"},{"role":"assistant","content":""},{"role":"user","content":""},{"role":"user","content":"Thanks & <bye> 🚢"}]}`,
	} {
		if diff := cmp.Diff(want, string(got[i].Value)); diff != "" {
			t.Errorf("call %d, %s (-want +got):\n%s", i, got[i].Error, diff)
		}
	}
	if strings.Contains(decided+said, "gho_") {
		t.Error("the token is in the body")
	}
}

func payload(t *testing.T, r *extension.Request) string {
	t.Helper()
	b, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The messages of the two sides, for the comparisons below.
var (
	references = []extension.Reference{{
		Type: "harbour.berth", ID: "berth-7", Data: json.RawMessage(`{"quay":"east"}`),
		Metadata: extension.Metadata{DisplayName: "Berth 7", DisplayIcon: "anchor", DisplayURL: "https://harbour.example/7"},
	}}
	faults   = []extension.Fault{{Type: extension.FaultFunction, Code: "tide", Message: "There is no table for today.", Identifier: "tides/today"}}
	question = extension.Confirmation{Title: "Cast off", Message: "Shall *we*?", Data: json.RawMessage(`{"id":"1","ship":"Marie"}`)}
)

// theirs is those as the SDK writes them, in the order of ours.
func theirs(t *testing.T) (ack, text, refs, errs, confirmation, done string) {
	t.Helper()
	got := ask(t, newStandIn(t),
		call{"createAckEvent"}, call{"createTextEvent", "Grüße,\n\"Ann\" 🚢"},
		call{"createReferencesEvent", []map[string]any{{
			"type": "harbour.berth", "id": "berth-7", "data": map[string]string{"quay": "east"}, "is_implicit": false,
			"metadata": map[string]string{"display_name": "Berth 7", "display_icon": "anchor", "display_url": "https://harbour.example/7"},
		}}},
		call{"createErrorsEvent", []map[string]any{{
			"type": "function", "code": "tide", "message": "There is no table for today.", "identifier": "tides/today",
		}}},
		call{"createConfirmationEvent", map[string]any{
			"id": "1", "title": "Cast off", "message": "Shall *we*?", "metadata": map[string]string{"ship": "Marie"},
		}},
		call{"createDoneEvent"},
	)
	for i, to := range []*string{&ack, &text, &refs, &errs, &confirmation, &done} {
		got[i].into(t, to)
	}
	return ack, text, refs, errs, confirmation, done
}

func TestWeReadWhatTheSDKWrites(t *testing.T) {
	ack, text, refs, errs, confirmation, done := theirs(t)
	got, err := collect(extension.ReadReply(strings.NewReader(ack + text + refs + errs + confirmation + done)))
	want := answer{
		text: "Grüße,\n\"Ann\" 🚢", references: references, faults: faults, confirmations: []extension.Confirmation{question},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Our writer's events say the same as the SDK's, in the same order: the same names, and
// JSON that is equal but for what only ours has, an id, a model and a time.
func TestOurEventsSayWhatTheSDKsSay(t *testing.T) {
	ack, text, refs, errs, confirmation, done := theirs(t)
	agent := func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		for _, err := range []error{w.Text("Grüße,\n\"Ann\" 🚢"), w.References(references...), w.Errors(faults...), w.Confirm(question)} {
			if err != nil {
				return err
			}
		}
		return nil
	}
	server := httptest.NewServer(extension.NewHandler(agent, extension.HandlerOptions{Unsigned: true}))
	t.Cleanup(server.Close)
	resp, err := http.Post(server.URL, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var ours bytes.Buffer
	_, err = ours.ReadFrom(resp.Body)
	if err != nil || resp.Body.Close() != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(events(t, ack+text+refs+errs+confirmation+done), events(t, ours.String())); diff != "" {
		t.Errorf("(-theirs +ours):\n%s\nours:\n%s", diff, ours.String())
	}
}

// events is a stream as pairs of name and data, without what only our chunks have.
func events(t *testing.T, stream string) (list [][2]any) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data := "", ""
		for line := range strings.SplitSeq(block, "\n") {
			if after, ok := strings.CutPrefix(line, "event: "); ok {
				name = after
			}
			if after, ok := strings.CutPrefix(line, "data: "); ok {
				data += after
			}
		}
		var value any = data
		if data != "[DONE]" {
			if err := json.Unmarshal([]byte(data), &value); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
		}
		if chunk, ok := value.(map[string]any); ok && name == "" {
			value = plain(chunk)
		}
		list = append(list, [2]any{name, value})
	}
	return list
}

// plain is a chunk with its choice alone: without a reason to finish that is null, and
// without the role, which the SDK repeats with every text.
func plain(chunk map[string]any) map[string]any {
	choice := chunk["choices"].([]any)[0].(map[string]any)
	delta := choice["delta"].(map[string]any)
	if delta["content"] != "" {
		delete(delta, "role")
	}
	if choice["finish_reason"] == nil {
		delete(choice, "finish_reason")
	}
	return choice
}

// The SDK's real example of a signed request, from its own tests: our verifier takes it.
func TestWeVerifyWhatGitHubSigned(t *testing.T) {
	vector := goldenVector(t)
	keys, err := extension.FixedKeys(vector["CURRENT_PUBLIC_KEY"])
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set("Github-Public-Key-Identifier", vector["KEY_ID"])
	header.Set("Github-Public-Key-Signature", vector["SIGNATURE"])
	if err := extension.Verify(soon(t), keys, header, []byte(vector["RAW_BODY"])); err != nil {
		t.Error(err)
	}
	if err := extension.Verify(soon(t), keys, header, []byte(vector["RAW_BODY"]+" ")); err == nil {
		t.Error("the body was changed, and is taken all the same")
	}
	der, err := base64.StdEncoding.DecodeString(vector["SIGNATURE"])
	if err != nil {
		t.Fatal(err)
	}
	der[len(der)-1] ^= 1
	header.Set("Github-Public-Key-Signature", base64.StdEncoding.EncodeToString(der))
	if err := extension.Verify(soon(t), keys, header, []byte(vector["RAW_BODY"])); err == nil {
		t.Error("the signature was changed, and is taken all the same")
	}
}
