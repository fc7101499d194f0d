package gemini

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// shapeInfo is an entry of the list of models.
type shapeInfo struct {
	Name        string   `json:"name"` // "models/NAME"
	DisplayName string   `json:"displayName"`
	Input       int      `json:"inputTokenLimit"`
	Output      int      `json:"outputTokenLimit"`
	Methods     []string `json:"supportedGenerationMethods"`
}

// decodeInfos reads a list of models. Those that write no text are left out. The list does not
// say which models see images; all current ones do.
func decodeInfos(data []byte) ([]model.Info, error) {
	var list struct {
		Models []json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fault.JSON(err)
	}
	if list.Models == nil {
		return nil, errors.New("no list of models")
	}
	infos := make([]model.Info, 0, len(list.Models))
	for _, raw := range list.Models {
		var s shapeInfo
		if !model.ValidButMistyped(json.Unmarshal(raw, &s)) || s.Name == "" || s.Methods != nil && !slices.Contains(s.Methods, "generateContent") {
			continue
		}
		id := strings.TrimPrefix(s.Name, "models/")
		infos = append(infos, model.Info{
			ID: id, Name: cmp.Or(s.DisplayName, id), Vendor: "Google", Vision: strings.HasPrefix(id, "gemini-"), MaxPrompt: s.Input, MaxOutput: s.Output, Raw: raw,
		})
	}
	return infos, nil
}
