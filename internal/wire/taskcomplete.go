package wire

// TaskComplete returns the data of session.task_complete, for which the SDK's type has no
// fields. An empty summary is left out.
func TaskComplete(summary string) Data {
	raw := []byte("{}")
	if summary != "" {
		raw = append(AppendString([]byte(`{"summary":`), summary), `,"success":true}`...)
	}
	return &RawData{EventType: "session.task_complete", Raw: raw}
}
