package wire

// TaskComplete is the data of session.task_complete, which the SDK's types know as
// empty. An empty summary is left out.
func TaskComplete(summary string) Data {
	raw := []byte("{}")
	if summary != "" {
		raw = append(AppendString([]byte(`{"summary":`), summary), `,"success":true}`...)
	}
	return &RawData{EventType: "session.task_complete", Raw: raw}
}
