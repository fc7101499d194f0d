package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// shapeInfo is an entry of Anthropic's list. Other servers of the dialect list models as
// OpenAI does.
type shapeInfo struct {
	ID           string `json:"id"`
	DisplayName  string `json:"display_name"`
	MaxInput     int    `json:"max_input_tokens"`
	MaxOutput    int    `json:"max_tokens"`
	Capabilities struct {
		Image struct {
			Supported bool `json:"supported"`
		} `json:"image_input"`
	} `json:"capabilities"`
}

func decodeInfos(data []byte) ([]model.Info, error) {
	infos, err := model.DecodeInfos(data)
	if err != nil {
		return nil, err
	}
	for i := range infos {
		var s shapeInfo
		if err := json.Unmarshal(infos[i].Raw, &s); !model.ValidButMistyped(err) {
			return nil, errors.New("no list of models")
		}
		infos[i].Name = cmp.Or(s.DisplayName, infos[i].Name)
		infos[i].MaxContext = cmp.Or(infos[i].MaxContext, s.MaxInput)
		infos[i].MaxOutput = cmp.Or(infos[i].MaxOutput, s.MaxOutput)
		infos[i].Vision = infos[i].Vision || s.Capabilities.Image.Supported
	}
	return infos, nil
}
