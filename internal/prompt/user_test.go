package prompt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// picture is a PNG of that many pixels a side, of noise so that it does not shrink.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	m.Set(0, 0, color.Black)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// blob is an attachment with these bytes.
func blob(name, mediaType string, data []byte) string {
	raw, _ := json.Marshal(map[string]string{"type": "blob", "displayName": name, "mimeType": mediaType, "data": base64.StdEncoding.EncodeToString(data)})
	return string(raw)
}

// attachmentTexts has attachments, and the message that the model reads.
var attachmentTexts = []struct{ name, text, attachments, want string }{
	{"none", "Hi", ``, "Hi"},
	{"null", "Hi", `null`, "Hi"},
	{"an empty list", "Hi", `[]`, "Hi"},
	{"a file", "Hi", `[{"type":"file","path":"/w/a.txt","displayName":"a"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/a.txt (2 lines)\n</tagged_files>"},
	{"its last line is open", "Hi", `[{"type":"file","path":"/w/b.txt"},{"type":"file","path":"/w/empty"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/b.txt (1 lines)\n* /w/empty (0 lines)\n</tagged_files>"},
	{"one line of it", "Hi", `[{"type":"file","path":"/w/b.txt","lineRange":{"start":1,"end":1}}]`, "Hi\n\n\n\n<tagged_files>\n* /w/b.txt (line 1 of 1 lines)\n</tagged_files>"},
	{"some lines of it", "Hi", `[{"type":"file","path":"/w/a.txt","lineRange":{"start":1,"end":2}}]`, "Hi\n\n\n\n<tagged_files>\n* /w/a.txt (lines 1-2 of 2 lines)\n</tagged_files>"},
	{"a folder", "Hi", `[{"type":"directory","path":"/w/sub"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/sub (2 items)\n</tagged_files>"},
	{"relative, and taken for a file", "Hi", `[{"type":"file","path":"sub"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/sub (2 items)\n</tagged_files>"},
	{"missing, secret, binary", "Hi", `[{"type":"file","path":"gone"},{"type":"file","path":"secret"},{"type":"file","path":"bin"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/gone (not found)\n* /w/secret (no permission to read it)\n* /w/bin (binary, 3 bytes)\n</tagged_files>"},
	{"without words", "", `[{"type":"file","path":"/w/a.txt"}]`, "<tagged_files>\n* /w/a.txt (2 lines)\n</tagged_files>"},
	{"a reference", "Hi", `[{"type":"github_reference","number":7,"title":"Fix\nit","referenceType":"issue","state":"open","url":"https://g/7"}]`, "Hi\n\n\n\n<github_references>\n#7 - Fix it [issue] [open] (https://g/7)\n</github_references>"},
	{
		"the other references", "Hi",
		`[{"type":"github_commit","oid":"abc","message":"m","repo":{"owner":"o","name":"r"},"url":"u"},` +
			`{"type":"github_release","tagName":"v1","name":"One","repo":{"owner":"o","name":"r"},"url":"u"},` +
			`{"type":"github_actions_job","jobId":5,"jobName":"test","workflowName":"ci","conclusion":"failure","repo":{"owner":"o","name":"r"},"url":"u"},` +
			`{"type":"github_repository","repo":{"owner":"o","name":"r"},"ref":"main","description":"d","url":"u"},` +
			`{"type":"github_file","path":"p","ref":"main","repo":{"owner":"o","name":"r"},"url":"u"},` +
			`{"type":"github_snippet","path":"p","ref":"main","lineRange":{"start":2,"end":3},"repo":{"owner":"o","name":"r"},"url":"u"},` +
			`{"type":"github_file_diff","head":{"path":"p","ref":"b","repo":{"owner":"o","name":"r"}},"url":"u"},` +
			`{"type":"github_tree_comparison","base":{"revision":"a","repo":{"owner":"o","name":"r"}},"head":{"revision":"b","repo":{"owner":"o","name":"r"}},"url":"u"},` +
			`{"type":"github_url","url":"https://g"}]`,
		"Hi\n\n\n\n<github_references>\no/r@abc - m [commit] (u)\no/r v1 - One [release] (u)\no/r job 5 - ci / test [actions job] [failure] (u)\n" +
			"o/r@main - d [repository] (u)\no/r@main:p [file] (u)\no/r@main:p:2-3 [snippet] (u)\nnothing to o/r@b:p [file diff] (u)\no/r@a to o/r@b [comparison] (u)\n" +
			"https://g [url]\n</github_references>",
	},
	{
		"a selection", "Hi", `[{"type":"selection","displayName":"a.go","filePath":"/w/a.go","text":"x := 1","selection":{"start":{"line":1},"end":{"line":1}}}]`,
		"<ide_selection>\nThe user has the following text selected in their IDE. This may or may not be related to their request.\nFile: a.go (line 2)\n```\nx := 1\n```\n</ide_selection>\n\n\n\nHi",
	},
	{
		"a selection with a fence", "Hi", `[{"type":"selection","filePath":"/w/a.md","text":"` + "```" + `","selection":{"start":{"line":1},"end":{"line":4}}}]`,
		"<ide_selection>\nThe user has the following text selected in their IDE. This may or may not be related to their request.\nFile: a.md (lines 2-5)\n````\n```\n````\n</ide_selection>\n\n\n\nHi",
	},
	{"a text", "Hi", `[` + blob(`a"b`, "text/plain", []byte("one\ntwo\n")) + `]`, "Hi\n\n\n\n<attachment name=\"a&quot;b\" type=\"text/plain\">\none\ntwo\n</attachment>"},
	{"a drawing", "Hi", `[` + blob("d", "image/svg+xml", []byte("<svg/>")) + `]`, "Hi\n\n\n\n<attachment name=\"d\" type=\"image/svg+xml\">\n<svg/>\n</attachment>"},
	{"a document", "Hi", `[` + blob("d.pdf", "application/pdf", []byte("%PDF\x00")) + `]`, "Hi\n\n\n\n[The attachment d.pdf (application/pdf) is not shown: 5 bytes, neither text nor a picture that models take.]"},
	{"a damaged picture", "Hi", `[` + blob("d.png", "image/png", []byte("\x89PNG")) + `]`, "Hi\n\n\n\n[The attachment d.png (image/png) is not shown: it is not a picture, or damaged.]"},
	{"no base64", "Hi", `[{"type":"blob","mimeType":"image/png","data":"%"}]`, "Hi\n\n\n\n[The attachment image (image/png) is not shown: it is not base64, or empty.]"},
	{"an extension's", "Hi", `[{"type":"extension_context","extensionId":"e","title":"<T>","payload":{"a":1}}]`, "Hi\n\n\n\n<extension_context extension=\"e\" title=\"&lt;T&gt;\">\n{\"a\":1}\n</extension_context>"},
	{"something new", "Hi", `[{"type":"hologram"}]`, "Hi\n\n\n\n[An attachment of the kind \"hologram\" is not shown.]"},
	{"a file and a reference", "Hi", `[{"type":"github_url","url":"u"},{"type":"directory","path":"sub"}]`, "Hi\n\n\n\n<tagged_files>\n* /w/sub (2 items)\n</tagged_files>\n\n<github_references>\nu [url]\n</github_references>"},
}

func TestAttachmentsAreWrittenAsRecorded(t *testing.T) {
	d := memory(
		t,
		"/w/a.txt", "one\ntwo\n", "/w/b.txt", "no end", "/w/empty", "", "/w/bin", "a\x00b", "/w/sub/x", "", "/w/sub/y", "",
		"/w/secret", "x",
	)
	for _, tc := range attachmentTexts {
		t.Run(tc.name, func(t *testing.T) {
			got := prompt.User(tc.text, json.RawMessage(tc.attachments), prompt.UserOptions{Disk: refusing(d, "/w/secret"), Cwd: "/w"})
			if diff := cmp.Diff(tc.want, got.Text); diff != "" {
				t.Error(diff)
			}
			if string(got.Attachments) != tc.attachments || got.Assets != nil {
				t.Errorf("the attachments have become %s", got.Attachments)
			}
			if said := strings.Contains(tc.want, "is not shown") || strings.Contains(tc.want, "not found"); said != (len(got.Warnings) > 0) {
				t.Errorf("warnings %q", got.Warnings)
			}
		})
	}
}

func TestWhatSurroundsAMessage(t *testing.T) {
	got := prompt.User("Hi", nil, prompt.UserOptions{
		Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Mode: prompt.Plan, Before: []string{prompt.ToolsChanged("a", "b")},
	})
	want := "<current_datetime>2026-01-02T03:04:05Z</current_datetime>\n\n" +
		"<tools_changed_notice>\nTools no longer available: a, b\n\nImportant: Do not attempt to call tools that are no longer available unless you've been notified that they're available again.\n</tools_changed_notice>\n\n" +
		"[[PLAN]] Hi"
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Error(diff)
	}
}

func TestPicturesAreSentAndKept(t *testing.T) {
	small, big := picture(t, 8), picture(t, 940) // the big one has 3.5 MB
	d := memory(t, "/w/p.png", string(small), "/w/wrong.txt", string(small))
	stale := "sha256:" + strings.Repeat("e", 64) // of another session
	list := `[ ` + blob("b.png", "image/png", small) + `, {"type":"file","path":"p.png","displayName":"p"} ,` +
		`{"assetId":"` + stale + `","type":"file","path":"wrong.txt"},` + blob("big", "image/png", big) + `,` + blob("x.png", "image/png", []byte("no")) + `]`
	got := prompt.User("Look", json.RawMessage(list), prompt.UserOptions{Disk: d, Cwd: "/w"})
	if !strings.HasPrefix(got.Text, "Look\n\n\n\n[The attachment x.png") || strings.Contains(got.Text, "tagged_files") {
		t.Errorf("text %q", got.Text)
	}
	alone := prompt.User("Look", json.RawMessage(`[{"type":"file","path":"p.png","assetId":"`+stale+`"}]`), prompt.UserOptions{Disk: d, Cwd: "/w"})
	if strings.Contains(string(alone.Attachments), stale) || !strings.Contains(string(alone.Attachments), alone.Assets[0].AssetID) {
		t.Errorf("the id of another session stayed: %s", alone.Attachments)
	}
	if !json.Valid(got.Attachments) || strings.Contains(string(got.Attachments), stale) || len(got.Assets) != 2 {
		t.Fatalf("%d assets, attachments %.200s", len(got.Assets), got.Attachments)
	}
	assets := map[string]*wire.BinaryAsset{}
	for _, a := range got.Assets {
		assets[a.AssetID] = a
		if a.ByteLength > 3<<20 {
			t.Errorf("an asset of %d bytes", a.ByteLength)
		}
	}
	parts := prompt.Parts(got.Text, wire.Raw(got.Attachments), func(id string) *wire.BinaryAsset { return assets[id] })
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(small)
	want := []model.Part{{Text: got.Text}, {Text: "b.png"}, {ImageURL: url}, {Text: "p.png"}, {ImageURL: url}, {Text: "wrong.txt"}, {ImageURL: url}, {Text: "big"}}
	if diff := cmp.Diff(want, parts[:len(parts)-1]); diff != "" {
		t.Errorf("parts (-want +got)\n%s", diff)
	}
	last := parts[len(parts)-1].ImageURL
	raw, err := base64.StdEncoding.DecodeString(last[strings.Index(last, ",")+1:])
	config, _, err2 := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || err2 != nil || config.Width != 940 || len(raw) > 3<<20 {
		t.Errorf("the big one is %v with %d bytes, %v, %v", config, len(raw), err, err2)
	}
	if got := prompt.Parts("x", wire.Raw(got.Attachments), nil); len(got) != 3 {
		t.Errorf("without assets there are %d parts, want those of the blob that fits", len(got))
	}
	if got := prompt.Parts("x", wire.Raw(`[{"type":"file","path":"/a"}]`), nil); got != nil {
		t.Errorf("no pictures, but parts %v", got)
	}
}

func TestPicturesAreMadeSmaller(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 4000))); err != nil {
		t.Fatal(err)
	}
	_, raw, err := prompt.Fit("image/png", b.Bytes())
	config, _, err2 := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || err2 != nil || config.Width != 15 || config.Height != 2000 {
		t.Errorf("it is %dx%d, %v, %v", config.Width, config.Height, err, err2)
	}
	huge := bytes.Clone(b.Bytes())
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536x65536, in the header
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	if _, _, err := prompt.Fit("image/png", huge); err == nil || !strings.Contains(err.Error(), "65536x65536 pixels") {
		t.Errorf("a bomb: %v", err)
	}
}

func TestPicturesAreBoundedInNumber(t *testing.T) {
	one := blob("p", "image/png", picture(t, 2))
	list := json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(one+",", 1005), ",") + "]")
	got := prompt.User("Look", list, prompt.UserOptions{})
	if !strings.Contains(got.Text, "[5 more attachments are not shown.]") || !strings.Contains(got.Text, "at most 20 pictures") {
		t.Errorf("the text does not say it: %.300s", got.Text)
	}
	if n := len(prompt.Parts("x", wire.Raw(got.Attachments), nil)); n != 41 {
		t.Errorf("%d parts, want 41", n)
	}
}

func TestWhatIsNoPictureCannotBeShown(t *testing.T) {
	if _, _, err := prompt.Fit("image/png", []byte("no")); err == nil {
		t.Error("what is no picture was taken for one")
	}
}

func TestAModelThatCannotSeeGetsNoPictures(t *testing.T) {
	said := model.Message{Role: model.RoleUser, Parts: []model.Part{{Text: "Look"}, {Text: "a.png"}, {ImageURL: "data:1"}, {Text: "b.png"}, {ImageURL: "data:2"}}}
	viewed := model.Message{Role: model.RoleUser, Parts: []model.Part{{Text: "Image file at path /a"}, {ImageURL: "data:3"}}}
	plain := model.Message{Role: model.RoleUser, Content: "Hi"}
	all := []model.Message{plain, said, viewed, plain}
	before := cmp.Diff(nil, all)
	want := []model.Message{plain, {Role: model.RoleUser, Parts: []model.Part{{Text: "Look"}, {Text: "[Not shown, because this model cannot see such files: a.png, b.png]"}}}, plain}
	if diff := cmp.Diff(want, prompt.Visible(all, prompt.Sight{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all, prompt.Visible(all, prompt.Sight{Pictures: true, Documents: true})); diff != "" || cmp.Diff(nil, all) != before {
		t.Errorf("who sees sees less: %s", diff)
	}
	if got := prompt.Visible(all[:1], prompt.Sight{}); &got[0] != &all[0] {
		t.Error("without pictures the messages were copied")
	}
}

// A PDF goes to models that read documents. For others the text says that it is missing, also if a
// later model of the session reads documents.
func TestDocumentsGoToModelsThatReadThem(t *testing.T) {
	attached := json.RawMessage(`[{"type":"blob","mimeType":"application/pdf","displayName":"a.pdf","data":"JVBERg=="}]`)
	read := prompt.User("Sum up", attached, prompt.UserOptions{Documents: true})
	if read.Text != "Sum up" || read.Warnings != nil {
		t.Errorf("the message is %+v", read)
	}
	parts := prompt.Parts(read.Text, wire.Raw(read.Attachments), nil)
	want := []model.Part{{Text: "Sum up"}, {Text: "a.pdf"}, {Document: &model.Document{Name: "a.pdf", MediaType: "application/pdf", Data: "JVBERg=="}}}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	seen := prompt.Visible([]model.Message{{Role: model.RoleUser, Parts: parts}}, prompt.Sight{Pictures: true})
	if diff := cmp.Diff([]model.Part{{Text: "Sum up"}, {Text: "[Not shown, because this model cannot see such files: a.pdf]"}}, seen[0].Parts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	missing := prompt.User("Sum up", attached, prompt.UserOptions{})
	if !strings.Contains(missing.Text, "a.pdf (application/pdf) is not shown") || len(missing.Warnings) != 1 {
		t.Errorf("the message is %+v", missing)
	}
	if parts := prompt.Parts(missing.Text, wire.Raw(missing.Attachments), nil); parts != nil {
		t.Errorf("the parts are %+v", parts)
	}
}

func FuzzUser(f *testing.F) {
	f.Add("Hi", `[{"type":"file","path":"a"},{"type":"selection","text":"x"},{"type":"blob","data":"AAAA","mimeType":"image/gif"}]`)
	f.Add("", `[{"type":"github_file_diff"},{"type":"github_snippet"},{"assetId":"x","type":"blob"},{}]`)
	f.Fuzz(func(t *testing.T, text, attachments string) {
		var list []map[string]json.RawMessage
		if json.Unmarshal([]byte(attachments), &list) != nil {
			return // refused before
		}
		got := prompt.User(text, json.RawMessage(attachments), prompt.UserOptions{Disk: memory(t, "/w/a", "b"), Cwd: "/w"})
		if !strings.Contains(got.Text, text) || !json.Valid(got.Attachments) && attachments != "" {
			t.Errorf("%q with %s is %q, attachments %s", text, attachments, got.Text, got.Attachments)
		}
		prompt.Parts(got.Text, wire.Raw(got.Attachments), nil)
	})
}

// The text of a tool's result stays.
func TestAModelThatCannotSeeReadsWhatAToolFound(t *testing.T) {
	result := model.Message{Role: model.RoleTool, ToolCallID: "a", Content: "Viewed.", Parts: append(prompt.Viewed("/a.png", "image/png", "AA=="), prompt.Viewed("/b.pdf", "application/pdf", "AA==")...)}
	for name, tc := range map[string]struct {
		sees    prompt.Sight
		content string
		parts   int
	}{
		"all":       {prompt.Sight{Pictures: true, Documents: true}, "Viewed.", 4},
		"documents": {prompt.Sight{Documents: true}, "Viewed.", 2},
		"nothing":   {prompt.Sight{}, "Viewed.", 0},
	} {
		got := prompt.Visible([]model.Message{result}, tc.sees)
		if len(got) != 1 || got[0].Content != tc.content || len(got[0].Parts) != tc.parts || tc.parts == 0 && got[0].Parts != nil || got[0].ToolCallID != "a" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
