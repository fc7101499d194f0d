package ollama

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// entry is an entry of the list. Servers before v0.30 leave out what a model can do.
type entry struct {
	Name         string   `json:"name"`
	Model        string   `json:"model"`
	Capabilities []string `json:"capabilities"`
	Details      struct {
		ContextLength int `json:"context_length"`
	} `json:"details"`
}

// decodeInfos reads the list of the models on the machine. Those that cannot chat are left out.
func decodeInfos(data []byte) ([]model.Info, error) {
	var list struct {
		Models []json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(data, &list); err != nil || list.Models == nil {
		return nil, errors.New("no list of models")
	}
	infos := make([]model.Info, 0, len(list.Models))
	for _, raw := range list.Models {
		var e entry
		if !model.ValidButMistyped(json.Unmarshal(raw, &e)) || e.Name+e.Model == "" {
			continue
		}
		if e.Capabilities != nil && !slices.Contains(e.Capabilities, "completion") {
			continue
		}
		info := model.Info{
			ID: cmp.Or(e.Model, e.Name), Name: cmp.Or(e.Name, e.Model), MaxContext: e.Details.ContextLength, Vision: slices.Contains(e.Capabilities, "vision"), Raw: raw,
		}
		if slices.Contains(e.Capabilities, "thinking") {
			info.ReasoningEfforts = []string{"none", "low", "medium", "high", "max"}
		}
		infos = append(infos, info)
	}
	return infos, nil
}
